#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of what a time step over many devices costs, fitted to the benchmarks of one and of two ranks.

A step of a stencil with radius 1 on n^3 cells a device, on a cube of p^3 devices, takes

    max(inner(n), latency + faces n^2 8 / bandwidth) + shell faces / 2 [+ all_reduce log2(ranks)]

inner is the step of one device; latency and bandwidth are fitted to exchanges of one and two faces; shell is what two
ranks take longer than one where the exchange is hidden; all_reduce is what a sum over two ranks adds.
"""
import math


def fit(m):
    """m(ranks, operation, size): milliseconds."""
    points = [(faces * n * n * 8, m(2, f"{name}_face{'s' if faces > 1 else ''}", n) * 1e-3)
              for faces, name in ((1, "one"), (2, "two")) for n in (64, 128, 256, 512, 1024)]
    # Weighted by 1 / t, so that each point counts by its relative error.
    w = [1 / t**2 for _, t in points]
    s, sx, sy = sum(w), sum(a * x for a, (x, _) in zip(w, points)), sum(a * y for a, (_, y) in zip(w, points))
    sxx, sxy = sum(a * x * x for a, (x, _) in zip(w, points)), sum(a * x * y for a, (x, y) in zip(w, points))
    slope = (s * sxy - sx * sy) / (s * sxx - sx * sx)
    return {"latency": (sy - slope * sx) / s, "bandwidth": 1 / slope,
            "shell": sum(m(2, "heat", n) - m(1, "heat", n) for n in (256, 512, 1024)) / 3 * 1e-3,
            "all_reduce": (m(2, "sum", 1) - m(1, "sum", 1)) * 1e-3}


def step(model, inner, n, ranks, reduces, network=None):
    """Seconds of a step, and the term that adds most to that of one device."""
    faces = 0 if ranks == 1 else 2 * min(3, round(math.log2(ranks)))
    latency, bandwidth = network or (model["latency"], model["bandwidth"])
    terms = {"the exchange": max(0, latency + faces * n * n * 8 / bandwidth - inner) if faces else 0,
             "the shell": model["shell"] * faces / 2,
             "the all-reduce": model["all_reduce"] * math.log2(ranks) if reduces else 0}
    return inner + sum(terms.values()), max(terms, key=terms.get)


def table(m, networks):
    """Rows of a Markdown table: weak scaling in shares of the speed of one device."""
    model = fit(m)
    yield (f"Fitted: latency {model['latency'] * 1e6:.0f} us, bandwidth {model['bandwidth'] * 1e-9:.0f} GB/s, shell "
           f"{model['shell'] * 1e6:.0f} us, all-reduce {model['all_reduce'] * 1e6:.1f} us.\n")
    yield "| cells a device | between devices | one device, ms | 2 devices | 8 and more | 1000, with a sum each step | what costs most there |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for n in (128, 256, 512, 1024):
        inner = m(1, "heat", n) * 1e-3
        for name, network in networks:
            def share(ranks, reduces):
                return f"{100 * inner / step(model, inner, n, ranks, reduces, network)[0]:.0f} %"

            yield (f"| {n}³ | {name} | {inner * 1e3:.3f} | {share(2, False)} | {share(8, False)} | {share(1000, True)} "
                   f"| {step(model, inner, n, 1000, True, network)[1]} |")
