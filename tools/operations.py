#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the public headers declare, from Doxygen's XML: the forms of each operation, its options and its places.

operations.py CHECKOUT             prints all of it as JSON
operations.py CHECKOUT --check     exits with 1 where a form is missing without a reason, or where a table of
                                   docs/operations.md is not the one that follows from the headers
operations.py CHECKOUT --write     writes the tables of docs/operations.md

An operation runs on an execution space. It has the same forms with an instance and without one, and one that returns a
value has one that writes it to an output, too, unless tools/operations.json has the reason. It works in chunks or over
ranks where the header of that place has an engine for its kind.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

NAMESPACES = ("quern", "quern::random", "quern::chunked", "quern::distributed")
PLACED = ("any_array", "result_view", "result_like", "output_like", "operand")  # concepts that admit what is not in memory
MODULES = {"core": "core", "map": "elementwise", "reduce": "reductions", "scan": "scans", "stencil": "stencils", "keyed": "keys",
           "random": "random numbers", "linalg": "linear algebra", "fft": "Fourier transforms", "integrate": "integrals",
           "autodiff": "derivatives", "transfer": "transfers", "chunked": "chunks", "distributed": "ranks"}


def text(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def read_functions(top):
    """All functions of the headers, as Doxygen reads them with macros expanded."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"INPUT": top / "include/quern", "RECURSIVE": "YES", "FILE_PATTERNS": "*.hpp", "INCLUDE_PATH": top / "include",
                    "MACRO_EXPANSION": "YES", "EXTRACT_ALL": "YES", "QUIET": "YES", "WARNINGS": "NO", "OUTPUT_DIRECTORY": folder,
                    "GENERATE_HTML": "NO", "GENERATE_LATEX": "NO", "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO",
                    "STRIP_FROM_PATH": top / "include"}
        subprocess.run(["doxygen", "-"], input="".join(f"{k}={v}\n" for k, v in settings.items()), text=True, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        members = [m for path in sorted(pathlib.Path(folder, "xml").glob("namespacequern*.xml"))
                   for m in ElementTree.parse(path).getroot().iter("memberdef") if m.get("kind") == "function"]
    sources, functions = {}, []
    for member in members:
        at = member.find("location")
        path = pathlib.Path(at.get("file"))
        path = path if path.is_absolute() else top / "include" / path
        lines = sources.setdefault(path, path.read_text().splitlines())
        first, last = int(at.get("bodystart") or 0), int(at.get("bodyend") or 0)
        functions.append({
            "name": member.findtext("qualifiedname"), "module": path.parent.name, "returns": text(member.find("type")),
            "template": [(text(p.find("type")), p.findtext("declname") or "") for p in member.findall("templateparamlist/param")],
            "parameters": [(text(p.find("type")), p.findtext("declname") or "") for p in member.findall("param")],
            "body": "\n".join(lines[first - 1:last])})
    return functions


def engines(top):
    """The kinds of operations that chunks and ranks have an engine for."""
    found = {}
    for place in ("chunked", "distributed"):
        for header in (top / "include/quern" / place).glob("*.hpp"):
            found.setdefault(place, set()).update(
                re.findall(r"struct engine<(?:in_chunks|over_ranks)_place, (?:\w+::)*(\w+)>", header.read_text()))
    return found


def kinds_of_functions(functions):
    """The kind of operation that each function hands to an engine, itself or through a function that it calls."""
    kinds = {}
    for f in functions:
        direct = re.search(r"engine_of<\s*(?:\w+::)*(\w+)", f["body"])
        if direct: kinds.setdefault(f["name"].split("::")[-1], direct[1])
    while True:
        more = {}
        for f in functions:
            name = f["name"].split("::")[-1]
            if name in kinds: continue
            called = [kinds[c] for c in re.findall(r"\b(\w+)(?:<[^;{}()]*>)?\(", f["body"]) if c in kinds and c != name]
            if called and any(c.split()[0].rstrip(".") in PLACED for c, _ in f["template"]): more[name] = called[0]
            elif called and "::impl::" in f["name"]: more[name] = called[0]
        if not more: return kinds
        kinds.update(more)


def form_of(function):
    """A form as a user writes it."""
    names = []
    concept = {name: kind for kind, name in function["template"]}
    for kind, name in function["parameters"]:
        bare = re.sub(r"^const |[ &.]+$", "", kind).strip(" &.")
        name = re.sub(r"_view$", "", name) or bare
        if bare == "Exec": name = "exec"
        names.append(name + ("..." if "..." in kind else ""))
        concept.setdefault(bare, "")
    return {"arguments": names, "returns": function["returns"] != "void",
            "options": sorted(o for kind, name in function["template"] if "option" in kind and "<" in kind
                              for o in re.findall(r"\w+", kind.split("<", 1)[1])),
            "placed": any(kind.rstrip(". ") in PLACED for kind, _ in function["template"])}


def operations(top):
    """{name: forms, options, places} of all operations: what has a form with an execution space instance."""
    functions = read_functions(top)
    kinds, of_place = kinds_of_functions(functions), engines(top)
    found = {}
    for f in functions:
        namespace, name = f["name"].rsplit("::", 1)
        if namespace in NAMESPACES and not name.startswith("operator"):
            found.setdefault(f["name"], {"module": f["module"], "forms": []})["forms"].append(form_of(f))
    found = {name: o for name, o in found.items() if any(f["arguments"][:1] == ["exec"] for f in o["forms"])}
    for name, o in found.items():
        kind = kinds.get(name.split("::")[-1]) if any(f["placed"] for f in o["forms"]) else None
        o["options"] = sorted({option for f in o["forms"] for option in f["options"]})
        o["places"] = ["memory"] + [p for p in ("chunked", "distributed") if kind in of_place[p]]
        for f in o["forms"]: del f["options"], f["placed"]
    return dict(sorted(found.items()))


def missing_forms(name, forms):
    """The forms that an operation lacks, as a user would write them."""
    def shown(arguments): return f"{name}({', '.join(arguments)})"
    given = {tuple(f["arguments"]) for f in forms}
    for f in forms:
        arguments = tuple(f["arguments"])
        if arguments[:1] == ("exec",) and arguments[1:] not in given: yield shown(arguments[1:])
    returned = [f["arguments"] for f in forms if f["returns"] and "out" not in f["arguments"] and f["arguments"][0] == "exec"]
    for arguments in returned:
        if ("exec", "out", *arguments[1:]) not in given: yield shown(["exec", "out", *arguments[1:]])


def tables(found):
    """The tables of docs/operations.md, by module."""
    lines = []
    for module, title in MODULES.items():
        rows = {name: o for name, o in found.items() if o["module"] == module}
        if not rows: continue
        lines += [f"### {title[0].upper()}{title[1:]}", "", "| operation | options | in chunks | over ranks |", "| --- | --- | --- | --- |"]
        for name, o in rows.items():
            forms = sorted({", ".join(["[exec]"] + f["arguments"][1:]) for f in o["forms"] if f["arguments"][:1] == ["exec"]}, key=lambda s: (len(s), s))
            options = ", ".join(f"`{option}`" for option in o["options"])
            calls = "<br>".join(f"`{name.removeprefix('quern::')}({form})`" for form in forms)
            here = ["yes" if place in o["places"] else "" for place in ("chunked", "distributed")]
            lines.append(f"| {calls} | {options} | {here[0]} | {here[1]} |")
        lines.append("")
    return "\n".join(lines)


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    found = operations(top)
    if len(sys.argv) == 2:
        json.dump(found, sys.stdout, indent=1)
        return 0
    page = top / "docs/operations.md"
    begin, end = "<!-- tools/operations.py writes from here -->\n", "<!-- to here -->\n"
    before, rest = page.read_text().split(begin)
    written, after = rest.split(end)
    if sys.argv[2] == "--write":
        page.write_text(before + begin + "\n" + tables(found) + end + after)
        return 0
    problems = []
    if written != "\n" + tables(found): problems.append("docs/operations.md is not what tools/operations.py --write makes of the headers")
    reasons = json.loads((top / "tools/operations.json").read_text())
    for name, o in found.items():
        for form in missing_forms(name, o["forms"]):
            if form not in reasons: problems.append(f"{form} is missing, and tools/operations.json has no reason")
            else: reasons[form] = None
    problems += [f"tools/operations.json has a reason for {form}, which is not missing" for form, reason in reasons.items() if reason]
    print("\n".join(problems) or f"{len(found)} operations have their forms and their rows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
