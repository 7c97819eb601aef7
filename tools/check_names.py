#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads names: identifiers in include/ and src/ have no words that CONTRIBUTING's table replaces, comments and documents none of those
that are always replaced, and every source in src/ has a header
of its name or stands in CONTRIBUTING's table of sources of one header. The table in core/launch/compiled.hpp has each header that says `extern
template` by a macro of that header.

  tools/check_names.py TOP
"""
import pathlib
import re
import sys

# What is no name: comments, texts, includes and numbers. Quotes between digits belong to the number.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\#include[^\n]*"""
                   r"|\d[\w'.]*|(?P<name>[A-Za-z_]\w*)", re.S)
# Words that no part of an identifier is, with their plurals, and what they are replaced by.
WORDS = {"piece": "a tile, a chunk, a pack or a run", "kept": "what is kept: selected, present, owned", "most": "max_",
         "place": "a position, an index or a slot", "neighbour": "adjacent or contiguous", "twin": "an overload",
         "evenly": "contiguous or strided"}
# A lane is one of a warp or of a vector, and a share what one thread processes: both stay words of identifiers.
# A place is where operands are (memory, chunks, ranks), a word of CONTRIBUTING, and what works in place has one array; `piecewise` takes
# NumPy's pieces; axes are kept by `keep_axes`; ranks have neighbours; and with nothing behind it `most` is a limit of the call.
ALLOWED = {"any_place", "check_place_options", "described_place", "find_place", "in_chunks_place", "mask_or_place", "no_place", "of_place",
           "option_or_place", "over_ranks_place", "place", "place_of_call", "place_of_groups", "place_option", "pieces", "piece_list",
           "kept_axes", "with_kept_axes", "without_kept_axes", "neighbour", "low_neighbour", "high_neighbour", "most", "box_of_most"}
# What comments and documents say otherwise, also where a line ends between two words. NumPy's `pieces` is code.
PHRASES = {"but for": "except for, unless", "fast memory": "shared memory", "slow memory": "global memory", "lying evenly": "contiguous",
           "reading from all over": "gather", "twin": "overload", "pieces?": "a tile, a chunk, a pack, a run or a segment"}
PHRASE = re.compile(r"(?<![`\w])(" + "|".join(p.replace(" ", r"\s+(?://[/!]?\s+|#\s+|\*\s+)?") for p in PHRASES) + r")(?![`\w(])", re.I)
TABLE = re.compile(r"^\| of \| sources \|\n\| --- \| --- \|\n((?:\|[^\n]*\n)+)", re.M)


def private_word(name):
    """The first word of the list that is a part of an identifier, or None."""
    parts = re.sub(r"(^|_)in_place(?=_|$)", "", name).split("_")
    return next((p.removesuffix("s") for p in parts if p in WORDS or p.removesuffix("s") in WORDS), None)


def private_names(text):
    """Identifiers of a source with a word of the list, and the lines where they stand."""
    for found in TOKEN.finditer(text):
        name = found["name"]
        if name and name not in ALLOWED and private_word(name):
            yield name, text.count("\n", 0, found.start()) + 1


def problems_of_words(top):
    for folder in ("include", "src"):
        for source in sorted((top / folder).rglob("*.?pp")):
            for name, line in private_names(source.read_text()):
                yield f"{source.relative_to(top)}:{line}: `{name}`: say {WORDS[private_word(name)]}"


def phrases(text, is_code):
    """Phrases of the list in the comments of a source or in a document, with the lines where they stand."""
    if is_code:  # what is no comment leaves its lines alone
        text = re.sub(r"^((?:[^/\n\"]|/(?!/)|\"(?:\\.|[^\"\\\n])*\")*)", "", text, flags=re.M)
    for found in PHRASE.finditer(text):
        yield " ".join(re.findall(r"\w+", found[1])).lower(), text.count("\n", 0, found.start()) + 1


def problems_of_phrases(top):
    sources = [p for f in ("include", "src", "bench", "tests", "examples") for p in sorted((top / f).rglob("*.?pp"))]
    for text in [*sources, top / "README.md", top / "CHANGELOG.md", *sorted((top / "docs").glob("*.md"))]:
        for phrase, line in phrases(text.read_text(), text.suffix != ".md"):
            say = next(words for p, words in PHRASES.items() if re.fullmatch(p, phrase))
            yield f"{text.relative_to(top)}:{line}: '{phrase}': say {say}"


def listed_sources(contributing):
    """The headers of CONTRIBUTING's table, each with every source of it."""
    rows = TABLE.search(contributing)
    if not rows: raise SystemExit("CONTRIBUTING.md: no table `| of | sources |`")
    for row in rows[1].splitlines():
        header, sources = (re.findall(r"`([^`]+)`", cell) for cell in row.strip("|").split("|"))
        yield from ((pathlib.PurePath(header[0]), source) for source in sources)


def problems_of_sources(top):
    src, rows = top / "src", list(listed_sources((top / "CONTRIBUTING.md").read_text()))
    listed = [(header.parent / source).as_posix() for header, source in rows]
    for header in sorted({h for h, _ in rows if not (src / h).exists() and not (top / "include/quern" / h).exists()}):
        yield f"CONTRIBUTING.md: there is no header `{header}`"
    alone = {p.relative_to(src).with_suffix("").as_posix() for p in src.rglob("*.cpp")
             if not p.with_suffix(".hpp").exists() and not (top / "include/quern" / p.relative_to(src)).with_suffix(".hpp").exists()}
    for source in sorted(alone - set(listed)):
        yield f"src/{source}.cpp: no header has its name, and CONTRIBUTING's table of sources of one header does not list it"
    for source in sorted(set(listed) - alone):
        yield f"CONTRIBUTING.md: `{source}` is listed as a source of one header, and is none or has a header of its name"
    for source in sorted({s for s in listed if listed.count(s) > 1}):
        yield f"CONTRIBUTING.md: `{source}` is listed twice"


def problems_of_compiled(top):
    headers, table = top / "include/quern", "core/launch/compiled.hpp"
    listed = re.findall(r"^/// \| ([\w/]+\.hpp) \|", (headers / table).read_text(), re.M)
    said = re.compile(r"^QUERN_(?:\w+_ELSEWHERE\(|ON_\w+\(\w+, extern)", re.M)
    compiled = {p.relative_to(headers).as_posix() for p in headers.rglob("*.hpp") if said.search(p.read_text())}
    for header in sorted(compiled - set(listed)):
        yield f"include/quern/{table}: the table has no row for {header}, which says `extern template`"
    for header in sorted(set(listed) - compiled):
        yield f"include/quern/{table}: the table has a row for {header}, which says no `extern template`"


def test_reading():
    """The reader finds names and nothing in comments and texts."""
    text = 'int a = 1\'000; // kept\nauto s = "kept"; char c = \'"\';\n/* most_x\n */ int most_rows, kept_axes, piecewise;\nbool place_of;'
    assert list(private_names(text)) == [("most_rows", 4), ("place_of", 5)], list(private_names(text))
    text = 'f("but for");  // but\n/// for all\nint piece;\n// `pieces(x)`, pieces(x), Fast memory'
    assert list(phrases(text, True)) == [("but for", 1), ("fast memory", 4)], list(phrases(text, True))
    text = "int element_places, rows_in_place, places, twin_, displaced;"
    assert [name for name, _ in private_names(text)] == ["element_places", "places", "twin_"], list(private_names(text))


def main():
    test_reading()
    top = pathlib.Path(sys.argv[1])
    problems = [*problems_of_words(top), *problems_of_phrases(top), *problems_of_sources(top), *problems_of_compiled(top)]
    for problem in problems: print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
