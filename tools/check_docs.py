#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What documents and doc comments say of this repository is there.

check_docs.py CHECKOUT: names of Quern's in README, docs and doc comments are declared by the headers, in that
namespace; the members of its enumerations are members; links and files that are named exist; the commands to measure name
every benchmark; the examples are numbered without a gap.
"""
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
problems = []
documents = [top / "README.md", top / "CONTRIBUTING.md", *sorted((top / "docs").glob("*.md"))]
headers = sorted((top / "include").rglob("*.hpp"))

KEYWORDS = {"auto", "bool", "class", "decltype", "operator", "requires", "static_assert", "typename", "void", "noexcept", "explicit"}


def declarations(code):
    """The names that code without comments declares: {scope: {name}}, a scope being a namespace, class or enumeration.

    Bodies of functions are skipped, and what a macro declares is its first argument.
    """
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*", "", code, flags=re.M)
    code = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', "0", code)
    names, scopes, statement, parens, angles = {}, [""], [], 0, 0
    kinds = ["namespace"]

    def declare(name):
        if re.match(r"[A-Za-z_]", name) and name not in KEYWORDS: names.setdefault(scopes[-1], set()).add(name)

    for match in re.finditer(r"\w+|::|->|[^\w\s]", code):
        token = match[0]
        if token in ")]": parens -= 1
        if parens == 0 and token == "<" and statement and re.match(r"[A-Za-z_]", statement[-1]): angles += 1
        elif parens == 0 and token == ">" and angles: angles -= 1
        elif parens == 0 and token in "{};":
            words = [t for t in statement if re.match(r"[A-Za-z_]", t)]
            kind, opened = "body", None
            if kinds[-1] == "enum":
                for word in words: declare(word)
            elif kinds[-1] != "body":
                keyword = next((t for t in statement if t in ("namespace", "class", "struct", "union", "enum", "concept", "using")), None)
                if keyword:
                    behind = statement[statement.index(keyword) + 1:]
                    if behind[:1] in (["class"], ["struct"]): behind = behind[1:]
                    found = [t for t in behind if re.match(r"[A-Za-z_]", t)]
                    if keyword == "namespace" or keyword == "using" and "=" not in behind:
                        path = found if keyword == "namespace" else found[-1:]
                    else: path = found[:1]
                    if keyword == "namespace":
                        opened = scopes[-1]
                        for part in path:
                            names.setdefault(opened, set()).add(part)
                            opened += "::" + part
                        kind = "namespace"
                    elif path:
                        declare(path[0])
                        if token == "{" and keyword not in ("concept", "using"):
                            kind, opened = "enum" if keyword == "enum" else "class", f"{scopes[-1]}::{path[0]}"
                else:
                    called = [a for a, b in zip(statement, statement[1:]) if b == "("]
                    for name in called: declare(name)
                    if not called:
                        before = statement[:statement.index("=")] if "=" in statement else statement
                        for word in [t for t in before if re.match(r"[A-Za-z_]", t)][-1:]: declare(word)
            if token == "{":
                kinds.append(kind)
                scopes.append(opened if opened is not None else scopes[-1])
            elif token == "}" and len(scopes) > 1:
                kinds.pop()
                scopes.pop()
            statement, angles = [], 0
            continue
        # Of what is in brackets, nothing is declared but by a macro.
        if parens == 0 and angles == 0: statement.append(token)
        elif parens == 1 and statement and statement[-1] == "(" and re.match(r"[A-Z_]+$", statement[-2] if len(statement) > 1 else ""):
            declare(token)
        if token in "([": parens += 1
    return names


code, comments, declared = "", [], {}
for header in headers:
    plain = ""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        text, _, comment = line.partition("//")
        plain += text + "\n"
        if comment:
            comments.append((f"{header.relative_to(top)}:{number}", comment))
    code += plain
    for scope, found in declarations(plain).items(): declared.setdefault(scope, set()).update(found)
# Reductions are types in quern::op, too, by the macro that declares their forms.
declared["::quern"].add("op")
declared["::quern::op"] = set(re.findall(r"^QUERN_REDUCTION_FORMS(?:_WITH)?\((\w+)", code, flags=re.M))
namespaces = {"::" + name for name in re.findall(r"\bnamespace (quern(?:::\w+)*)", code)}
inner = set(re.findall(r"\bnamespace (\w+) \{", code))
namespaces |= {f"{outer}::{name}" for outer in set(namespaces) for name in inner if f"{outer}::{name}" in declared}
named = set(re.findall(r"\benum (?:class )?(\w+)", code))
strict = namespaces | {"::quern::op"} | {scope for scope in declared if scope.rsplit("::", 1)[-1] in named}
classes = set(re.findall(r"\b(?:struct|(?<!enum )class) (\w+)", code))
members = set().union(*(found for scope, found in declared.items() if "::impl" not in scope))
enumerations = {}
for name, body in re.findall(r"\benum (?:class )?(\w+)[^{;]*\{([^}]*)\}", code):
    enumerations.setdefault(name, set()).update(re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip()))

texts = list(comments)
for document in documents:
    texts += [(f"{document.relative_to(top)}:{n}", line) for n, line in enumerate(document.read_text().splitlines(), 1)]

for place, text in texts:
    for name in re.findall(r"\bquern((?:::\w+)+)", text):
        scope = "::quern"
        for part in name.split("::")[1:]:
            # A name that stands for another's scope, as an alias or a derived class, may have what any other one has.
            if part not in declared.get(scope, members) and (part not in members or scope in strict):
                problems.append(f"{place}: quern{name}: {scope[2:]} declares no {part}")
            scope += "::" + part
    # `norm_order::one, two and inf`: the members behind the first one too.
    for scope, first, rest in re.findall(r"\b(\w+)::(\w+)((?:, \w+\b(?!::))*)", text):
        if scope in enumerations and scope not in classes:
            for member in [first, *re.findall(r"\w+", rest)]:
                if member not in enumerations[scope]:
                    problems.append(f"{place}: {scope} has no {member}, but {', '.join(sorted(enumerations[scope]))}")

# Rows of tables and lists of parameters that a formatter has broken.
item, indent, before = False, 0, None
for place, text in comments:
    row = text.lstrip("/").strip()
    if row.startswith("| ") != row.endswith(" |"):
        problems.append(f"{place}: a row of a table goes on in another line")
    path, number = place.rsplit(":", 1)
    follows = before == (path, int(number) - 1)
    before = path, int(number)
    begins = re.match(r"/ (?:@t?param|@throws|@return|- )", text)
    if begins or not follows or not row or row.startswith(("@", "|")):
        item, indent = bool(begins), 0
    elif item:
        here = len(text) - len(text[1:].lstrip())
        if indent and here > indent:
            problems.append(f"{place}: an item of a list goes on with another indentation")
        indent = here

for document in documents:
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in link and not (document.parent / link).exists():
            problems.append(f"{document.relative_to(top)}: {link} does not exist")
    for path in re.findall(r"`((?:docs|examples|tools|tests|bench|cmake|src|include)/[\w./-]+)`", text):
        if not (top / path).exists():
            problems.append(f"{document.relative_to(top)}: {path} does not exist")

# The benchmarks that are measured by one command; the others have commands of their own.
built = set(re.findall(r"quern_add_benchmark\(bench_(\w+)", (top / "bench/CMakeLists.txt").read_text()))
alone = {"sweep", "short_rows", "distributed"}
listed = set(re.search(r"for b in ([\w ]+);", (top / "docs/performance.md").read_text())[1].split())
run = set(re.findall(r"bench_(\w+)", re.search(r"for program in (bench_.*);", (top / "dev").read_text())[1]))
for where, found in (("docs/performance.md", listed), ("dev", run)):
    if found != built - alone:
        problems.append(f"{where}: expected the benchmarks {' '.join(sorted(built - alone))}, found {' '.join(sorted(found))}")

numbers = [int(p.name[:2]) for p in sorted((top / "examples").iterdir()) if p.name[:2].isdigit()]
if numbers != list(range(1, len(numbers) + 1)):
    problems.append(f"examples: numbered {numbers}")
built_examples = (top / "tests/install/install_test.cmake").read_text()
compiled = (top / "tools/device_compile.sh").read_text()
for example in (top / "examples").iterdir():
    if example.name[:2].isdigit():
        for where, text in (("tests/install/install_test.cmake", built_examples), ("tools/device_compile.sh", compiled)):
            if example.name not in text:
                problems.append(f"{where}: does not build {example.name}")

# Every test is compiled for devices, except for what calls HDF5 or writes files of ranks, without kernels, and what is about
# a library that is not there.
on_hosts = {"fft/without_library", "files/hdf5_types", "distributed/checkpoint"}
for test in sorted((top / "tests").glob("*/*_test.cpp")):
    name = str(test.relative_to(top / "tests")).removesuffix("_test.cpp")
    if name not in on_hosts and not re.search(rf"\b{name}_test\b", compiled):
        problems.append(f"tools/device_compile.sh: does not compile {name}_test")

print("\n".join(problems))
sys.exit(1 if problems else 0)
