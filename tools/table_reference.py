#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Freezes tables and texts of pandas for the tests of tables.

  python3 tools/table_reference.py    writes tests/table/data/pandas.npz

A table NAME is an array NAME/COLUMN for each of its columns, and NAME/columns with their names. A text column has its
codes, and COLUMN/categories with its texts. A bool column has bytes of 0 and 1. A text is an array of its bytes.
"""
import io
import pathlib
import warnings

import numpy as np
import pandas as pd

ARRAYS = {}
SEPARATOR = "\x1e"  # of texts in a list


def text(name, value):
    ARRAYS[name] = np.frombuffer(value.encode(), np.uint8)


def table(name, frame):
    text(f"{name}/columns", SEPARATOR.join(frame.columns))
    for column in frame.columns:
        values = frame[column]
        if values.dtype == object and column == "b" and not name.startswith("csv"): values = values.astype(float)  # bools of which some are missing
        if values.dtype == object: values = values.astype("category")
        if values.dtype.name == "category":
            values = values.cat.remove_unused_categories() if name != "input" else values
            text(f"{name}/{column}/categories", SEPARATOR.join(values.cat.categories))
            values = values.cat.codes.astype(np.int32)
        if values.dtype == bool: values = values.astype(np.uint8)
        ARRAYS[f"{name}/{column}"] = np.ascontiguousarray(values.to_numpy())


def make_input(n=203):
    random = np.random.default_rng(11)
    frame = pd.DataFrame({
        "k": random.integers(-4, 5, n),
        "s": pd.Series(random.choice(["pion", "kaon", "muon", "electron", "µ"], n)).where(random.random(n) > 0.1).astype("category"),
        "x": np.where(random.random(n) > 0.1, np.round(random.normal(0, 100, n), 3), np.nan),
        "y": np.where(random.random(n) > 0.05, random.integers(-3, 4, n) / 4, np.nan).astype(np.float32),
        "i": random.integers(-(1 << 31), 1 << 31, n).astype(np.int32),
        "b": random.random(n) > 0.4})
    return frame


def rows(frame):
    """The columns, and that of the statistics or groups before them."""
    return frame.reset_index()


def columns_and_rows(frame):
    table("where", frame[frame.b])
    table("take", frame.take([5, 5, 202, 0]))
    # float32 columns in double, as the results are more accurate than those of pandas in float.
    double = frame.astype({"y": "float64"})
    table("describe", rows(double.describe()).rename(columns={"index": "statistic"}))
    table("describe_few", rows(double[:1].describe(percentiles=[0.125, 0.5, 1])).rename(columns={"index": "statistic"}))
    missing = pd.DataFrame({"x": [np.nan, np.nan]})
    table("describe_missing", rows(missing.describe()).rename(columns={"index": "statistic"}))


def ordered(frame):
    def by(*keys, **how): return frame.sort_values(list(keys), kind="stable", **how)
    for name, keys, ascending in (("x", ["x"], True), ("x_down", ["x"], False), ("s", ["s"], True), ("s_down", ["s"], False), ("b_down", ["b"], False),
                                  ("i", ["i"], True), ("y_k_s", ["y", "k", "s"], [True, False, True]), ("b_s_y", ["b", "s", "y"], [True, False, False])):
        table(f"sorted/{name}", by(*keys, ascending=ascending))


# As of the operation: what pandas adds up and describes in float32 and int32 is in double and int64.
def grouped(frame):
    wide = frame.astype({"y": "float64", "i": "int64"})
    names = {"sum": "sum", "mean": "mean", "median": "median", "var": "var", "std": "std", "count": "count", "size": "size"}
    for keys in (["k"], ["s"], ["b"], ["y"], ["k", "s"], ["s", "y", "b"]):
        rest = [c for c in "xyikb" if c not in keys]
        how = {f"{c}_{n}": (c, f) for c in rest for n, f in names.items() if c != "b" or n in ("sum", "mean", "count", "size")}
        table("grouped/" + "_".join(keys), frame[keys].join(wide[[c for c in rest]]).groupby(keys, observed=True, as_index=False).agg(**how))
        how = {f"{c}_{f}": (c, f) for c in rest for f in ("min", "max", "first", "last")}
        table("ends/" + "_".join(keys), frame.groupby(keys, observed=True, as_index=False).agg(**how))
    texts = frame.assign(s=frame.s.astype(object))
    table("grouped/texts", texts.groupby("i", as_index=False).agg(s_first=("s", "first"), s_last=("s", "last"), s_count=("s", "count"), s_size=("s", "size")))
    few = frame.assign(s=frame.s.cat.as_ordered())
    table("grouped/text_ends", few.groupby("k", as_index=False).agg(s_min=("s", "min"), s_max=("s", "max"), s_first=("s", "first"), s_last=("s", "last")))


def merged():
    random = np.random.default_rng(12)
    left = pd.DataFrame({"k": random.integers(0, 12, 32), "s": random.choice(["a", "b", "d", None], 32), "x": random.integers(0, 6, 32) / 2,
                         "b": random.random(32) > 0.5, "v": random.integers(-9, 9, 32).astype(np.int32)})
    left.loc[::7, "x"] = np.nan
    right = pd.DataFrame({"k": random.integers(4, 20, 15), "s": random.choice(["b", "c", "d", "e", None], 15), "x": random.integers(0, 9, 15) / 2,
                          "v": random.random(15).astype(np.float32), "w": np.arange(15)})
    right.loc[::6, "x"] = np.nan
    table("left", left)
    table("right", right)
    keys = {"k": dict(on="k"), "s": dict(on="s"), "x": dict(on="x"), "k_s": dict(on=["k", "s"]), "s_x_k": dict(on=["s", "x", "k"]),
            "x_k": dict(left_on="x", right_on="k"), "s_and_k_x": dict(left_on=["s", "k"], right_on=["s", "x"])}
    for name, on in keys.items():
        for how in ("inner", "left", "right", "outer"): table(f"merged/{name}/{how}", left.merge(right, how=how, suffixes=("_l", "_r"), **on))
    table("merged/all", left[["k", "s", "b"]].merge(right[["s", "k", "w"]]))
    table("merged/no_partner", left.merge(right.assign(k=100), on="k", how="left"))
    table("merged/every_partner", left.merge(pd.DataFrame({"k": np.arange(12), "n": np.arange(12) ** 2, "yes": np.arange(12) > 5}), on="k", how="left"))
    partners = left.k.isin(right.k)
    table("merged/semi", left[partners])
    table("merged/anti", left[~partners])
    table("concat/all", pd.concat([left, right, left.drop(columns=["v", "b"]).head(3)], ignore_index=True).drop(columns="b"))
    table("concat/whole", pd.concat([left[["k", "v"]], right[["k", "w"]].rename(columns={"w": "v"})], ignore_index=True))
    table("concat/bools", pd.concat([left[["b"]], left[["b"]]], ignore_index=True))


def merged_asof():
    random = np.random.default_rng(13)
    left = pd.DataFrame({"t": np.sort(random.integers(0, 40, 30)) / 2, "g": random.choice(["a", "b", "c"], 30), "v": np.arange(30)})
    right = pd.DataFrame({"t": np.sort(random.integers(4, 36, 24)) / 2, "g": random.choice(["b", "c", "d"], 24), "v": random.integers(0, 99, 24),
                          "b": random.random(24) > 0.5})
    table("asof/left", left)
    table("asof/right", right)
    for direction in ("backward", "forward", "nearest"):
        table(f"asof/{direction}", pd.merge_asof(left, right, on="t", direction=direction))
        table(f"asof/{direction}_by", pd.merge_asof(left, right, on="t", by="g", direction=direction))
        table(f"asof/{direction}_apart", pd.merge_asof(left, right, on="t", by="g", direction=direction, allow_exact_matches=False, tolerance=1.5))
    whole = [f.assign(t=(f.t * 2).astype(np.int64)) for f in (left, right.rename(columns={"t": "u"}).assign(t=right.t).drop(columns="u"))]
    table("asof/whole", pd.merge_asof(whole[0], whole[1].rename(columns={"t": "u"})[["u", "b"]], left_on="t", right_on="u", tolerance=3))


STATISTICS = ("sum", "mean", "median", "var", "std", "min", "max", "count")


def rolled(frame):
    frame, columns = frame.head(101), ["x", "i"]
    for name, window in (("three", dict(window=3)), ("center", dict(window=4, center=True, min_periods=1)), ("step", dict(window=5, min_periods=2, step=4))):
        windows = frame[columns].astype(float).rolling(**window)
        table(f"rolling/{name}", pd.DataFrame({f"{c}_{s}": getattr(windows[c], s)() for s in STATISTICS for c in columns}))
    table("rolling/bools", frame[["b"]].rolling(3).sum())
    # The positions of pandas are times: seconds are its units here.
    seconds = np.cumsum(np.random.default_rng(14).integers(0, 4, len(frame)))
    windows = frame[columns].astype(float).set_index(pd.to_datetime(seconds, unit="s")).rolling("5s")
    ARRAYS["rolling/seconds"] = seconds
    table("rolling/by_value", pd.DataFrame({"t": seconds} | {f"{c}_{s}": getattr(windows[c], s)().to_numpy() for s in STATISTICS for c in columns}))


def pivoted(frame):
    def pivot(name, index, columns, values, aggfunc):
        result = frame.astype({"y": "float64"}).pivot_table(index=index, columns=columns, values=values, aggfunc=aggfunc, observed=True)
        result.columns = [str(c) for c in result.columns]
        table(f"pivot/{name}", result.reset_index())
    pivot("mean", "k", "s", "x", "mean")
    pivot("whole", "b", "k", "i", "sum")
    pivot("missing", "i", "b", "x", "max")
    pivot("two_keys", ["s", "b"], "k", "x", "count")
    frame = frame.assign(q=frame.y)
    pivot("reals", "k", "q", "x", "sum")
    few = frame[["k", "b"]].assign(s=frame.s.cat.as_ordered())
    result = few.pivot_table(index="k", columns="b", values="s", aggfunc="max", observed=True)
    result.columns = [str(c) for c in result.columns]
    table("pivot/texts", result.reset_index().astype({"True": object, "False": object}))


CSV = {
    "numbers": "a,b,c\n1,1.5,-3\n-2,1e3,+4\n9223372036854775807,.5,5.\n",
    "missing": "a,b,c,d\n1,,x,\n2,NA,,\n,nan,null,\n4,-7,N/A,\n",
    "bools": "a,b,c\nTrue,FALSE,true\nFalse,TRUE,maybe\n",
    "quoted": '"a","b, c","d ""e"""\n1,"x, y","say ""no"""\n"2","two\nlines",""\n3,"",plain\n',
    "crlf": '"a",b\r\n1,x\r\n2,"y"\r\n',
    "mark": "\ufeffa,b\n1,2\n",
    "spaces": "a, b\n 1 , x \n2\t,y\n",
    "infinite": "a,b\ninf,1\n-inf,2\nInfinity,3\n-Infinity,4\nINF,5\n+inf,6\n1e-999,7\n",
    "no_numbers": "a,b,c,d,e,f,g,h,i\n" + "1,1,1,1,1,1,1,1,1\n" + "nan(3),1e,0x10,1_0,+-3,- 3,1 2,.,-\n",
    "empty_lines": "\n\na,b\n\n1,2\n\r\n3,4\n\n",
    "no_end": "a,b\n1,2\n3,",
    "whole_then_real": "a,b\n1,1\n2,x\n3.25,2\n",
    "late": "a,b\n" + "1,1\n" * 600 + ",2.5\nz,3\n",
    "one": "a\n1\n\n2\n\"\"\n",
    "exact": "a\n0.1\n123456789012345678901234567890\n2.2250738585072011e-308\n4.9e-324\n9007199254740993.0\n1.7976931348623157e308\n",
}


# Lines of too few fields, which change the types of columns.
SHORT = "a,b,c,d\n1,2,p,x\n3\n4,,q\n5,6,p,y\n" + "7,8\n" * 600


def files(frame):
    for name, content in CSV.items():
        text(f"csv/{name}", content)
        table(f"csv_table/{name}", pd.read_csv(io.StringIO(content), float_precision="round_trip"))
    text("csv_short", SHORT)
    table("csv_short_table", pd.read_csv(io.StringIO(SHORT)))
    written = frame.assign(s=frame.s.astype(object)).head(50)
    written.loc[[3, 7], "s"] = ['a "b", c', "two\nlines"]
    written["z"] = np.where(written.b, written.x * 1e-9, written.x * 1e14)
    table("written", written)
    text("csv_written", written.to_csv(index=False))
    one = pd.DataFrame({"x": [1.0, np.nan, 1e16, 1e-5, 123456.789, -0.0]})
    table("written_one", one)
    text("csv_written_one", one.to_csv(index=False))


def printed(frame):
    text("text/head", repr(frame.head(20)))
    text("text/cut", repr(frame))
    text("text/sixty", repr(frame.head(60)))
    for name, values in {
            "small": [1e-7, 1, 2], "large": [1e7, 1.5, -2], "long": [123456789.125, 2, 3], "whole": [1, 2, 3], "wide": [1e300, 1, np.inf],
            "missing": [np.nan, 1, -np.inf], "all_missing": [np.nan, np.nan], "fractions": [0.1, 1 / 3, 2.25], "million": [1e6, 2, 3],
            "negative": [-1.5, -2.25, -1e-3], "zero": [0.0, -0.0]}.items():
        ARRAYS[f"printed/{name}"] = np.array(values, float)
        text(f"text/{name}", repr(pd.DataFrame({"a": np.array(values, float)})))


def main():
    frame = make_input()
    table("input", frame)
    columns_and_rows(frame)
    ordered(frame)
    grouped(frame)
    files(frame)
    merged()
    merged_asof()
    rolled(frame)
    pivoted(frame)
    printed(frame)
    folder = pathlib.Path(__file__).resolve().parent.parent / "tests/table/data"
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "pandas.npz", **ARRAYS)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # keys of int and of float in one merge
    pd.set_option("display.width", 1000)
    main()
