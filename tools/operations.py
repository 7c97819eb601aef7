#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the public headers declare, from Doxygen's XML: the forms of each operation, its options and its places.

operations.py CHECKOUT             prints all of it as JSON, and why forms are missing
operations.py CHECKOUT --check     exits with 1 where a form is missing without a reason, arguments are not in the grammar's
                                   order, a row of tools/other_libraries.json names what does not exist, or a table of
                                   docs/operations.md or docs/from_numpy.md is not the one that follows
operations.py CHECKOUT --write     writes the tables of docs/operations.md and docs/from_numpy.md

An operation runs on an execution space. All take `named`, by an overload of their own (`QUERN_TAKES_NAME`), unless the file says
why not. It has the same forms with an instance and without one, and one that returns a
value has one that writes it to an output, too, unless tools/operations.json says why not. It works in chunks or over
ranks where the header of that place has an engine for its kind.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import other_libraries

NAMESPACES = ("quern", "quern::random", "quern::chunked", "quern::distributed")
MODULES = {"map": "Elementwise operations", "reduce": "Reductions", "scan": "Scans", "stencil": "Stencils", "keyed": "Keys",
           "random": "Random numbers", "linalg": "Linear algebra", "fft": "Fourier transforms", "integrate": "Integrals", "particles": "Points", "analysis": "Analysis", "fits": "Fits",
           "batch": "Many small problems", "autodiff": "Derivatives", "transfer": "Transfers", "print": "Text", "table": "Tables", "chunked": "Chunks", "distributed": "Ranks", "core": "Memory"}


def text(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def read_functions(top):
    """All functions of the headers, as Doxygen reads them with macros expanded, and the names of all that they declare."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"INPUT": top / "include/quern", "RECURSIVE": "YES", "FILE_PATTERNS": "*.hpp", "INCLUDE_PATH": top / "include",
                    "MACRO_EXPANSION": "YES", "EXTRACT_ALL": "YES", "QUIET": "YES", "WARNINGS": "NO", "OUTPUT_DIRECTORY": folder,
                    "GENERATE_HTML": "NO", "GENERATE_LATEX": "NO", "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO",
                    "STRIP_FROM_PATH": top / "include"}
        subprocess.run(["doxygen", "-"], input="".join(f"{k}={v}\n" for k, v in settings.items()), text=True, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pages = [ElementTree.parse(path).getroot() for path in sorted(pathlib.Path(folder, "xml").glob("namespacequern*.xml"))]
    declared = [m for page in pages for m in page.iter("memberdef")]
    names = {m.findtext("qualifiedname") for m in declared} | {text(c) for page in pages for c in page.iter("innerclass")}
    members = [m for m in declared if m.get("kind") == "function"]
    sources, functions = {}, []
    for member in members:
        at = member.find("location")
        path = pathlib.Path(at.get("file"))
        path = path if path.is_absolute() else top / "include" / path
        lines = sources.setdefault(path, path.read_text().splitlines())
        first, last = int(at.get("bodystart") or 0), int(at.get("bodyend") or 0)
        functions.append({
            "name": member.findtext("qualifiedname"), "module": path.relative_to(top / "include/quern").parts[0], "returns": text(member.find("type")), "requires": text(member.find("requiresclause")),
            "template": [(text(p.find("type")), p.findtext("declname") or "") for p in member.findall("templateparamlist/param")],
            "parameters": [(text(p.find("type")), p.findtext("declname") or "") for p in member.findall("param")],
            "defaults": len(member.findall("param/defval")), "body": "\n".join(lines[first - 1:last])})
    return functions, names


def engines(top):
    """{place: {kind: words}}: the kinds of operations that chunks and ranks have an engine for, with the words of the messages
    that reject what is "in memory" alone, in the engine's header or in one that it includes; options are among them."""
    found = {"chunks": {}, "ranks": {}}
    for place, folder in (("chunks", "chunked"), ("ranks", "distributed")):
        for header in (top / "include/quern" / folder).glob("*.hpp"):
            own = header.read_text()
            around = [top / "include" / path for path in re.findall(r"#include <(quern/[\w/]+\.hpp)>", own)]
            texts = [own] + [path.read_text() for path in around if path.exists()]
            words = {w for t in texts for message in re.findall(r'static_assert\([^;]*"quern: ([^"]*) those in memory"', t)
                     for w in message.split()}
            for kind in re.findall(r"struct engine<\w+_place, (?:\w+::)*(\w+)>", own): found[place][kind] = words
    return found


def called_by(function):
    return re.findall(r"\b(\w+)(?:<[^;{}()]*>)?\(", function["body"])


def kinds_of_functions(functions):
    """The kind of operation that functions hand to an engine, themselves or through a function that they call."""
    kinds = {}
    for f in functions:
        direct = re.findall(r"engine_of<\s*(?:\w+::)*(\w+)", f["body"])  # the last is what runs where nothing is special
        if direct: kinds.setdefault(f["name"].split("::")[-1], direct[-1])
    helpers = [f for f in functions if "::impl::" in f["name"]]
    names_of_helpers = {f["name"].split("::")[-1] for f in helpers}
    for group in (helpers, helpers, functions):  # what fills an array of random integers fills one of any numbers
        # What helpers do with another operation, as a copy, is not what the operation that calls them is.
        known = {name: kind for name, kind in kinds.items() if group is functions or name in names_of_helpers}
        for f in group:
            kind = next((known[c] for c in called_by(f) if c in known), None)
            if kind: kinds.setdefault(f["name"].split("::")[-1], kind)
    return kinds


def concepts_of_options(top):
    """{concept: names of options} of the concepts that admit options."""
    found = {}
    for header in (top / "include/quern").rglob("*.hpp"):
        for name, condition in re.findall(r"concept (\w+_option\w*) =([^;]*);", header.read_text()):
            if name == "call_option": continue
            found[name] = [o for listed in re.findall(r"\boption<\w+, ([^<>]*)>", condition.replace("call_option", "option"))
                           for o in re.findall(r"\w+", listed)]
            found[name] += re.findall(r"\bis_option<(\w+), T>", condition) + re.findall(r"\bis_(rule)<T>", condition)
            found[name] += [other for other in re.findall(r"\b(\w+_option)<T>", condition)]
    return found


def names_of_options(concept, concepts):
    """The options that a constraint admits: `option<axis, ddof>`, or a concept that lists them."""
    if concept == "call_option": return set()
    listed = re.search(r"\b(?:call_)?option<(.*)>", concept)
    if listed: return {o.removesuffix("_t") for o in re.findall(r"\w+(?!\w*::)", listed[1])}
    names = set()
    for name in concepts.get(re.sub(r".*::", "", concept).rstrip(". "), []):
        if name in concepts: names |= names_of_options(name, concepts) or {name.removesuffix("_option")}
        else: names.add(name.removesuffix("_t"))
    concept = re.sub(r".*::", "", concept).rstrip(". ")
    return names or {{"size_option": "size_to"}.get(concept, concept.removesuffix("_option"))}


def is_tag(kind):
    """Whether an argument of that type says all by its type."""
    return kind.endswith("_t") and "::" not in kind


def options_of_helpers(functions):
    """The options that functions without constraints on them take, by a static_assert."""
    found = {}
    for f in functions:
        for listed in re.findall(r"static_assert\(\(option<Options, ([^<>]*)> && \.\.\.", f["body"]):
            found.setdefault(f["name"].split("::")[-1], set()).update(re.findall(r"\w+", listed))
    for f in [f for f in functions if "::impl::" in f["name"]]:  # what only names a call and passes it on
        if "with_name(" in f["body"]:
            found.setdefault(f["name"].split("::")[-1], set()).update(o for c in called_by(f) for o in found.get(c, ()))
    return found


def form_of(function, kinds, of_place, concepts, of_helpers):
    """A form as a user writes it, and where it works."""
    names = []
    for kind, name in function["parameters"]:
        bare = re.sub(r"^const |[ &.]+$", "", kind).strip(" &.")
        name = bare.removesuffix("_t") if is_tag(bare) else re.sub(r"_view$", "", name)
        if name == "..." or bare in ("Option", "Second", "chunking"): name = "options..."  # without a name of its own, or before the inputs of a functor
        elif "..." in kind: name += "..."
        if name == "options..." and names[-1:] == [name]: continue
        names.append("exec" if bare == "Exec" else name)
    constraints = [kind.rstrip(". ") for kind, _ in function["template"]]
    in_memory = any(c in ("view_like", "array_like") for c in constraints)
    placed = any(c in ("any_array", "operand", "result_view") for c in constraints) or "output_like" in constraints and not in_memory
    direct = re.findall(r"engine_of<\s*(?:\w+::)*(\w+)", function["body"])
    kind = direct[-1] if direct else next((kinds[c] for c in called_by(function) if c in kinds), None)
    options = {o for c in constraints if "option" in c for o in names_of_options(c, concepts)} - {"place"}
    if function["module"] == "reduce" and any("call_option<" in c and re.search(r"\baxes\b", c) for c in constraints): options.add("keep_axes")
    if any(kind.startswith("const chunking") for kind, _ in function["parameters"]): options.add("chunking")
    if "sort_options" in function["requires"]: options |= {"axis", "sort_order", "comparator"}
    if listed := re.search(r"\boption<\s*In\s*, ([^<>]*)>", function["requires"]):  # before the inputs of a functor
        options |= names_of_options(f"option<{listed[1]}>", concepts)
        names.insert(-1, "options...")
    if listed := re.search(r"\b(\w+_option)s<Options\.\.\.>", function["requires"]): options |= names_of_options(listed[1], concepts)
    elif not options and "options..." in names: options |= {o for c in called_by(function) for o in of_helpers.get(c, ())}
    places = [p for p in ("chunks", "ranks") if placed and kind in of_place[p]]
    return {"module": function["module"], "arguments": names, "defaults": function["defaults"], "returns": function["returns"] != "void", "options": sorted(options),
            "places": ["memory"] + places, "without": {p: sorted(options & of_place[p][kind]) for p in places if options & of_place[p][kind]}}


def exceptions(top):
    """Why forms are missing, and the places of operations that call others of the user's choice."""
    return json.loads((top / "tools/operations.json").read_text())


def operations(top):
    """{name: forms} of all operations, what has a form with an execution space instance; all names that are declared; and the
    operations that take no name."""
    functions, names = read_functions(top)
    kinds, of_place, concepts = kinds_of_functions(functions), engines(top), concepts_of_options(top)
    of_helpers = options_of_helpers(functions)
    found = {}
    for f in functions:
        namespace, name = f["name"].rsplit("::", 1)
        if namespace not in NAMESPACES or name.startswith("operator") or "named_call" in f["requires"]: continue
        if any(not name and not is_tag(kind) for kind, name in f["parameters"]): continue  # reports what is wrong
        found.setdefault(f["name"].removeprefix("quern::"), []).append(form_of(f, kinds, of_place, concepts, of_helpers))
    for name, places in exceptions(top)["places"].items():
        for form in found[name]: form["places"] += places
    for forms in found.values(): complete(forms)
    found = {name: forms for name, forms in sorted(found.items()) if any(f["arguments"][:1] == ["exec"] for f in forms)}
    return found, names, sorted(found.keys() - named_operations(functions))


def named_operations(functions):
    """The operations that have an overload for calls with a name."""
    return {f["name"].removeprefix("quern::") for f in functions if "named_call" in f["requires"]}


def complete(forms):
    """Gives the forms that only call another one, without exec or out, what that one takes and where it works."""
    def rest(form): return tuple(a for a in form["arguments"] if a not in ("exec", "out"))
    whole = {}
    for form in sorted(forms, key=lambda f: len(f["arguments"])): whole[rest(form)] = form
    for form in forms:
        for key in ("options", "places", "without"): form[key] = whole[rest(form)][key]


def missing_forms(name, forms):
    """The forms that an operation lacks, as a user would write them."""
    def shown(arguments): return f"{name}({', '.join(arguments)})"
    given = {tuple(f["arguments"]) for f in forms}
    for f in forms:
        arguments = tuple(f["arguments"])
        if arguments[:1] != ("exec",): continue
        if arguments[1:] not in given: yield shown(arguments[1:])
        if f["returns"] and "out" not in arguments and ("exec", "out", *arguments[1:]) not in given:
            yield shown(("exec", "out", *arguments[1:]))


def misplaced_arguments(name, form):
    """Arguments of a form that are not in the order of the grammar: exec or the communicator, outputs, inputs, options; options
    stand before the inputs of a functor, and before a number of inputs that is not fixed."""
    rest = [a for a in form["arguments"] if a not in ("exec", "comm")]
    if "exec" in form["arguments"][1:]: yield f"{name}: exec is not the first argument"
    if "out" in rest[1:]: yield f"{name}: out is not the first argument behind exec"
    if "options..." in rest[:-1] and "f" not in rest and rest[-1] != "in...": yield f"{name}: options are not the last arguments"


def row_of(name, form, forms):
    """A row of a table: the forms with and without exec, and with and without an output, in one."""
    given = {tuple(f["arguments"]): f for f in forms}
    arguments = tuple(form["arguments"][1:])
    if ("exec", "out", *arguments) in given or ("exec", *arguments[:-1], "options...", *arguments[-1:]) in given: return None
    rest = ", ".join(arguments)
    if arguments[0] == "out" and ("exec", *arguments[1:]) in given: rest = rest.replace("out, ", "[out,] ", 1)
    call = ("[exec,] " if arguments in given else "exec, ") + rest
    def shown(place): return f"without {', '.join(form['without'][place])}" if place in form["without"] else "yes"
    where = [shown(place) if place in form["places"] else "" for place in ("chunks", "ranks")]
    return f"| `{name}({call})` | {', '.join(form['options'])} | {where[0]} | {where[1]} |"


def tables(found):
    """The tables of docs/operations.md, by module."""
    lines = []
    for module, title in MODULES.items():
        rows = []
        for name, forms in found.items():
            for form in forms:
                row = row_of(name, form, forms) if form["module"] == module and form["arguments"][:1] == ["exec"] else None
                if row and row not in rows: rows.append(row)
        if rows: lines += [f"## {title}", "", "| call | options | in chunks | over ranks |", "| --- | --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def parts_of(page):
    """A page before its tables, the tables, and what follows."""
    begin, end = "<!-- tools/operations.py writes from here -->\n", "<!-- to here -->\n"
    before, rest = page.read_text().split(begin)
    written, after = rest.split(end)
    return before + begin, written, end + after


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    found, names, unnamed = operations(top)
    reasons, of_unnamed = exceptions(top)["missing"], exceptions(top)["unnamed"]
    if len(sys.argv) == 2:
        missing = {name: {form: reasons.get(form) for form in sorted(set(missing_forms(name, forms)))} for name, forms in found.items()}
        json.dump({name: {"forms": forms, "missing": missing[name]} for name, forms in found.items()}, sys.stdout, indent=1)
        return 0
    others = other_libraries.read(top)
    pages = {"docs/operations.md": tables(found), "docs/from_numpy.md": other_libraries.page(others)}
    parts = {page: parts_of(top / page) for page in pages}
    if sys.argv[2] == "--write":
        for page, (before, _, after) in parts.items(): (top / page).write_text(f"{before}\n{pages[page]}{after}")
        return 0
    problems = [f"{page} is not what tools/operations.py --write makes" for page in pages if parts[page][1] != "\n" + pages[page]]
    problems += other_libraries.problems(others, found, names)
    problems += other_libraries.problems_of_names(others, other_libraries.read_names(top))
    problems += [f"{name} is reserved for what is to come" for name in exceptions(top)["reserved"] if f"quern::{name}" in names]
    problems += [p for name, forms in found.items() for form in forms for p in misplaced_arguments(name, form)]
    missing = {form for name, forms in found.items() for form in missing_forms(name, forms)}
    problems += [f"{form} is missing, and tools/operations.json has no reason" for form in sorted(missing - reasons.keys())]
    problems += [f"tools/operations.json has a reason for {form}, which is not missing" for form in sorted(reasons.keys() - missing)]
    problems += [f"{name} takes no name: QUERN_TAKES_NAME, or a reason in tools/operations.json" for name in unnamed if name not in of_unnamed]
    problems += [f"tools/operations.json has a reason why {name} takes no name, which it does" for name in of_unnamed if name not in unnamed]
    print("\n".join(problems) or f"{len(found)} operations have their forms and their rows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
