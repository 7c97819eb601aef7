#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random calls of Quern beside the same of NumPy and SciPy: extents (0 and 1 among them), strides, widths, modes, axes and windows.

  tools/numpy_differential.py PROGRAM [ROUNDS [SEED]]    PROGRAM is numpy_cases, as tests/tools/numpy_cases.cpp builds it

Moves of elements, differences and order filters must be the same; sums of floating-point numbers may differ in the order of additions, by
1e-12 of the largest value that a window has. Written for NumPy 2.2 and SciPy 1.15; prints every call whose results differ, and how many
there were of each operation.
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import ndimage

MODES = {"constant": "constant", "nearest": "nearest", "reflect": "reflect", "mirror": "mirror", "wrap": "grid-wrap"}


def numbers(values):
    values = list(values)
    return f"{len(values)} {' '.join(map(str, values))}"


class Calls:
    """Makes one call after the other: what the program is told, and what NumPy makes of it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def any(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def below(self, low, high):
        return int(self.rng.integers(low, high))

    def array(self):
        """Values of which many are equal, of few axes and few or some elements."""
        rank = self.below(1, 4)
        extents = [self.any(0, 1, 2, 3, self.below(1, 12), self.below(1, (400, 60, 20)[rank - 1])) for _ in range(rank)]
        kind = self.any("float64", "int32")
        x = self.rng.integers(-40, 40, extents)
        if kind == "float64" and self.below(0, 2): x = x + self.rng.standard_normal(extents)
        return np.ascontiguousarray(x, kind)

    def one(self):
        x = self.array()
        name = self.any("roll", "roll_all", "flip", "flip_all", "pad", "pad", "take", "tile", "repeat", "repeat_all", "repeat_counts", "diff",
                        "remainder", "rolling", "filter", "filter", "filter", "gaussian_filter", "correlate")
        made = getattr(self, name)(x, self.below(-x.ndim, x.ndim))
        return None if made is None else (x, *made)

    # Each returns the words of the call, NumPy's result and the error that sums may have.
    def roll(self, x, axis):
        shift = self.below(-2 * x.shape[axis] - 3, 2 * x.shape[axis] + 4)
        return f"roll {shift} {axis}", np.roll(x, shift, axis)

    def roll_all(self, x, _):
        shift = self.below(-2 * x.size - 3, 2 * x.size + 4)
        return f"roll_all {shift}", np.roll(x, shift)

    def flip(self, x, axis):
        return f"flip {axis}", np.flip(x, axis)

    def flip_all(self, x, _):
        return "flip_all", np.flip(x)

    def pad(self, x, _):
        mode = self.any("constant", "edge", "wrap", "reflect", "symmetric", "odd_reflect", "odd_symmetric")
        if mode != "constant" and 0 in x.shape: return None  # NumPy rejects some of these
        widths = [(self.below(0, 2 * n + 4), self.below(0, 2 * n + 4)) for n in (min(n, 10) for n in x.shape)]
        words = f"pad {mode} {numbers(w for pair in widths for w in pair)}"
        if mode == "constant":
            value = self.below(-9, 9)
            return f"{words} {value}", np.pad(x, widths, constant_values=value)
        if mode.startswith("odd_"):
            with np.errstate(over="ignore"):
                return words, np.pad(x, widths, mode[4:], reflect_type="odd"), 1e-13 * np.abs(x).max() * 50
        return words, np.pad(x, widths, mode)

    def take(self, x, axis):
        n, mode = x.shape[axis], self.any("raise", "wrap", "clip")
        if n == 0: return None
        low, high = (-n, n) if mode == "raise" else (-3 * n - 1, 3 * n + 1)
        indices = self.rng.integers(low, high, self.below(0, 9))
        return f"take {mode} {axis} {numbers(indices)}", np.take(x, indices, axis, mode=mode)

    def tile(self, x, _):
        times = [self.below(0, 4) for _ in x.shape]
        return f"tile {numbers(times)}", np.tile(x, times)

    def repeat(self, x, axis):
        times = self.below(0, 5)
        return f"repeat {times} {axis}", np.repeat(x, times, axis)

    def repeat_all(self, x, _):
        times = self.below(0, 5)
        return f"repeat_all {times}", np.repeat(x, times)

    def repeat_counts(self, x, axis):
        counts = self.rng.integers(0, 4, x.shape[axis])
        return f"repeat_counts {axis} {numbers(counts)}", np.repeat(x, counts, axis)

    def diff(self, x, axis):
        order = self.below(0, 4)
        return f"diff {order} {axis}", np.diff(x, order, axis)

    def remainder(self, x, _):
        if x.dtype != np.float64: return None
        b = self.any(3.0, -3.0, 0.5, -0.25, 0.0, np.inf, -np.inf)
        with np.errstate(invalid="ignore"):
            return f"remainder {b!r}", np.remainder(x, b), "signs"

    def rolling(self, x, axis):
        if x.dtype != np.float64: return None
        what = self.any("sum", "mean", "var", "min", "max", "median")
        count, center = self.below(1, 12), self.below(0, 2)
        least = self.below(1, count + 1)
        error = 1e-12 * (np.abs(x).max(initial=0) ** (2 if what == "var" else 1) * count + 1)
        return (f"rolling {what} {count} {center} {least} {axis}",
                np.apply_along_axis(rolled, axis, x, what, count, center, least) if x.size else x, 0 if what in ("min", "max") else error)

    def window(self, x, larger=True):
        sizes = [self.below(1, 8) for _ in x.shape]
        return sizes if larger else [min(s, n) for s, n in zip(sizes, x.shape)]

    def filter(self, x, _):
        name = self.any("uniform_filter", "minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter",
                        "grey_erosion", "grey_dilation")
        if 0 in x.shape: return None
        # SciPy 1.15 reads beyond arrays of one axis where a rank filter's window is larger.
        sizes = self.window(x, name not in ("median_filter", "rank_filter", "percentile_filter"))
        mode, value = self.any(*MODES), self.below(-9, 9)
        options = {"mode": MODES[mode], "cval": value}
        words = f"{name} {numbers(sizes)} {mode}{f' {value}' if mode == 'constant' else ''}"
        if name == "uniform_filter":
            if x.dtype != np.float64: return None
            return words, ndimage.uniform_filter(x, sizes, **options), 1e-12 * (np.abs(x).max() + 9)
        moved = [self.below(-(s // 2), (s - 1) // 2 + 1) for s in sizes]
        words += f" {numbers(moved)}"
        extra = ()
        if name == "rank_filter": extra = (self.below(0, int(np.prod(sizes))),)
        if name == "percentile_filter": extra = (self.any(0, 17, 50, 80, 100),)
        options |= {"size": sizes, "origin": moved}
        return f"{words} {' '.join(map(str, extra))}", getattr(ndimage, name)(x, *extra, **options)

    def gaussian_filter(self, x, _):
        if x.dtype != np.float64 or 0 in x.shape: return None
        sigma, mode, value = self.any(0.4, 1.0, 1.7), self.any(*MODES), self.below(-9, 9)
        words = f"gaussian_filter {sigma} {mode}{f' {value}' if mode == 'constant' else ''}"
        return words, ndimage.gaussian_filter(x, sigma, mode=MODES[mode], cval=value), 1e-12 * (np.abs(x).max() + 9)

    def correlate(self, x, _):
        if 0 in x.shape: return None
        weights = self.rng.integers(-3, 4, self.window(x)).astype(x.dtype)
        name, mode, value = self.any("correlate", "convolve"), self.any(*MODES), self.below(-9, 9)
        words = f"{name} FILE {mode}{f' {value}' if mode == 'constant' else ''}"
        error = 1e-12 * (np.abs(x).max() + 9) * (np.abs(weights).sum() + 1) if x.dtype == np.float64 else 0
        return words, getattr(ndimage, name)(x, weights, mode=MODES[mode], cval=value), error, weights


def rolled(line, what, count, center, least):
    """pandas' rolling of a line."""
    result = np.full(line.shape, np.nan)
    behind = (count - 1) // 2 if center else 0
    for i in range(line.size):
        end = i + behind + 1
        part = line[max(0, end - count):end]
        if part.size >= least and (what != "var" or part.size > 1):
            result[i] = part.var(ddof=1) if what == "var" else getattr(np, what)(part)
    return result


def differs(found, expected, error):
    if found.shape != expected.shape or found.dtype != expected.dtype: return f"{found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    if error == "signs":
        if not np.array_equal(np.signbit(found[expected == 0]), np.signbit(expected[expected == 0])): return "the sign of a zero"
        error = 0
    right = (found == expected) | (np.isnan(found) & np.isnan(expected)) if found.dtype.kind == "f" else found == expected
    if error: right |= np.abs(found - expected) <= error
    if right.all(): return ""
    at = tuple(int(i) for i in np.argwhere(~right)[0])
    return f"{np.count_nonzero(~right)} of {right.size}: at {at} {found[at]!r}, expected {expected[at]!r}"


def run(program, folder, rounds, seed):
    calls, made = Calls(seed), []
    with open(folder / "cases", "w") as cases:
        for number in range(rounds):
            one = calls.one()
            if one is None: continue
            x, words, expected, *more = one
            np.save(folder / f"{number}.npy", x)
            if len(more) > 1:
                np.save(folder / f"{number}_weights.npy", more[1])
                words = words.replace("FILE", str(folder / f"{number}_weights.npy"))
            strides = calls.any("right", "left", "gaps")
            cases.write(f"{number} {x.dtype} {x.ndim} {strides} {words}\n")
            made.append((number, f"{x.dtype} {x.shape} {strides} {words}", np.asarray(expected), more[0] if more else 0))
    subprocess.run([program, str(folder)], check=True)
    return made


def main():
    program, rounds, seed = sys.argv[1], int((sys.argv + ["2000"])[2]), int((sys.argv + ["2000", "1"])[3])
    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, words, expected, error in run(program, folder, rounds, seed):
            counts[words.split(") ")[1].split()[1]] += 1
            failed = folder / f"{number}_error"
            problem = failed.read_text() if failed.exists() else differs(np.load(folder / f"{number}_out.npy"), expected, error)
            if problem: print(f"{words}\n    {problem}")
            wrong += bool(problem)
    print(", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    print(f"{wrong} of {counts.total()} calls differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
