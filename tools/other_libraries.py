# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/from_numpy.md, from tools/other_libraries.json: what stands in Quern for the functions of other libraries.

A row is a call, or several in turn ("call"), an expression of a functor for `map` ("map"), what Views or C++ have of their own
("own"), or why there is none ("missing"), and may have a "note". Calls are written without an execution space. Every function
that a row names must be declared, and the arguments of a call must be those of a form of the operation.
"""
import json
import re

FOREIGN = ("Kokkos::", "std::")
ALIASES = {"axis": "axes"}


def matching(text, start):
    """The position of the bracket that closes the one at `start`; a comparison in an argument is none."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0: return at
    raise ValueError(f"{text}: brackets do not match")


def split_arguments(text):
    """The arguments in a call's brackets."""
    arguments, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0: arguments.append("")
        else: arguments[-1] += c
    return [a.strip() for a in arguments if a.strip()]


def name_of(argument):
    """What an argument is by its type, as `axis` of `axis{0}` and `norm_order` of `norm_order::one`; or its name."""
    found = re.match(r"[\w:]+?(?=$|[({<]|::\w+$)", argument)
    return found[0] if found else ""


def takes(form, arguments, known):
    """Whether a form of an operation takes these arguments: its options, and as many others as it has, with or without those that have
    defaults. An option that is known of other operations is none of any number of inputs."""
    options = set(form["options"])
    others = [name_of(a) for a in arguments if name_of(a) not in options and ALIASES.get(name_of(a)) not in options]
    wanted = [a for a in form["arguments"] if a not in ("exec", "options...")]
    fixed = sum(not a.endswith("...") for a in wanted)
    if fixed - form["defaults"] <= len(others) <= fixed: return True
    return len(others) > fixed and len(wanted) > fixed and not known & set(others)


def problems_of_call(call, found, names):
    """What a call names that is not there, and whether the operation has such a form."""
    head = re.match(r"([\w:]+)(?:<[^()]*>)?\(", call)
    if not head: return [f"{call} is no call"]
    problems = problems_of_code(call, names)
    if head[1] not in found or problems: return problems
    arguments = split_arguments(call[head.end():matching(call, head.end() - 1)])
    known = {"axis", *(o for forms in found.values() for form in forms for o in form["options"])}
    return [] if any(takes(form, arguments, known) for form in found[head[1]]) else [f"{call} is no form of {head[1]}"]


def problems_of_code(code, names):
    """What is called, made with braces or has template arguments, and is not declared."""
    words = re.findall(r"(?<![.\w:])([A-Za-z_][\w:]*)(?:(?:<[^<>()]*>)?[({]|<[^<>()]*>[,)])", code)
    return [f"{code}: quern::{word} is not declared" for word in words if not word.startswith(FOREIGN) and f"quern::{word}" not in names]


def problems_of_names(tables, lists):
    """Names of a library that have no row in its table, and rows of none, by tools/other_names.json."""
    for title, wanted in lists.items():
        rows = [name for table in tables if table["title"] == title for section in table["sections"].values() for name in section]
        yield from (f"{title}: {name} has no row in tools/other_libraries.json" for name in sorted(set(wanted["names"]) - set(rows)))
        yield from (f"{title}: there is no {name}" for name in sorted(set(rows) - set(wanted["names"])))
        yield from (f"{title}: {name} has two rows" for name in sorted(set(rows)) if rows.count(name) > 1)


def problems(tables, found, names):
    """What is wrong with the rows."""
    for table in tables:
        rows = [(name, row) for rows in table["sections"].values() for name, row in rows.items()]
        if len(rows) != table["names"]: yield f"{table['title']}: {len(rows)} rows for {table['names']} names"
        for name, row in rows:
            kinds = row.keys() & {"call", "map", "own", "missing"}
            if len(kinds) != 1 or row.keys() - kinds - {"note"}: yield f"{table['title']}: {name} is {sorted(row)}"
            wrong = [p for call in row.get("call", []) for p in problems_of_call(call, found, names)]
            wrong += problems_of_code(row.get("map", ""), names)
            for text in (row.get("note", ""), row.get("missing", "")):
                for code in re.findall(r"`([^`]*)`", text):
                    wrong += problems_of_call(code, found, names) if re.match(r"[\w:]+\(", code) else []
            yield from (f"{table['title']}: {name}: {p}" for p in wrong)


def shown(row):
    """What stands in Quern's column."""
    code = [f"`{call}`" for call in row.get("call", [])]
    if "map" in row: code = [f"`map` of `{row['map']}`"]
    text = row.get("own") or (f"missing: {row['missing']}" if "missing" in row else ", ".join(code))
    if "note" in row: text += f"; {row['note']}"
    return text.replace("|", "\\|")


def page(tables):
    """The tables, by sections."""
    lines = []
    for table in tables:
        lines += [f"## {table['title']}", "", table["about"], ""]
        for section, rows in table["sections"].items():
            if section: lines += [f"### {section}", ""]
            lines += ["| function | in Quern |", "| --- | --- |"]
            lines += [f"| `{name}` | {shown(row)} |" for name, row in rows.items()] + [""]
    return "\n".join(lines)


def read(top):
    return json.loads((top / "tools/other_libraries.json").read_text())


def read_names(top):
    return json.loads((top / "tools/other_names.json").read_text())
