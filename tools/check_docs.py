#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What documents and doc comments say of this repository is there.

check_docs.py CHECKOUT: names of Quern's in README, docs and doc comments are names of the headers; the members of its
enumerations are members; links and files that are named exist; the commands to measure name every benchmark; the
examples are numbered without a gap.
"""
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
problems = []
documents = [top / "README.md", top / "CONTRIBUTING.md", *sorted((top / "docs").glob("*.md"))]
headers = sorted((top / "include").rglob("*.hpp"))

code, comments = "", []
for header in headers:
    for number, line in enumerate(header.read_text().splitlines(), 1):
        text, _, comment = line.partition("//")
        code += text + "\n"
        if comment:
            comments.append((f"{header.relative_to(top)}:{number}", comment))
identifiers = set(re.findall(r"\w+", code)) | {"quern"}
enumerations = {}
for name, body in re.findall(r"\benum (?:class )?(\w+)[^{;]*\{([^}]*)\}", code):
    enumerations.setdefault(name, set()).update(re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip()))
# What CMake or a macro makes.
identifiers |= set(re.findall(r"quern::(\w+)", (top / "cmake/QuernConfig.cmake.in").read_text()))

texts = list(comments)
for document in documents:
    texts += [(f"{document.relative_to(top)}:{n}", line) for n, line in enumerate(document.read_text().splitlines(), 1)]

for place, text in texts:
    for name in re.findall(r"\bquern((?:::\w+)+)", text):
        for part in name.split("::")[1:]:
            if part not in identifiers:
                problems.append(f"{place}: quern{name}: there is no {part}")
    # `matrix_order::one, two and inf`: the members behind the first one too.
    for scope, first, rest in re.findall(r"\b(\w+)::(\w+)((?:, \w+\b(?!::))*)", text):
        if scope in enumerations and not re.search(rf"(?:struct|(?<!enum )class) {scope}\b", code):
            for member in [first, *re.findall(r"\w+", rest)]:
                if member not in enumerations[scope]:
                    problems.append(f"{place}: {scope} has no {member}, but {', '.join(sorted(enumerations[scope]))}")

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
alone = {"sweep", "distributed"}
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

print("\n".join(problems))
sys.exit(1 if problems else 0)
