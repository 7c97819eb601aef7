#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/fits/data/*.npz: fits by scikit-learn, NumPy and SciPy, whose versions stand in the files:

    python3 tools/fits_reference.py tests [logistic]
"""
import sys
import warnings
from fractions import Fraction

import numpy as np
import scipy
import sklearn
from scipy.optimize import curve_fit
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge

rng = np.random.default_rng(20261129)


def versions():
    return {f"{m.__name__}_version": np.frombuffer(m.__version__.encode(), np.uint8) for m in (np, scipy, sklearn)}


def save(name, arrays):
    np.savez(f"{sys.argv[1]}/fits/data/{name}.npz", **{k: np.asarray(v, order="C") for k, v in arrays.items()})


def floats(a):
    """Numbers that float has, too."""
    return np.asarray(a, np.float32).astype(np.float64)


def data(n, d, t=None, rank=None, means=0.0):
    """Rows whose last columns depend on the first, and targets with noise."""
    x = rng.integers(-64, 65, (n, d)) / 16
    if rank is not None:
        x[:, rank:] = x[:, :rank] @ rng.integers(-2, 3, (rank, d - rank))
    y = x @ rng.normal(size=(d, t or 1)) + 3 + 0.5 * rng.normal(size=(n, t or 1))
    return floats(x + means), floats(y if t else y[:, 0])


def shortest(x, y, fit_intercept, weights):
    """LinearRegression with the rank that NumPy's lstsq finds; that of LAPACK's limit takes rounding for a column."""
    w = np.ones(len(x)) if weights is None else weights
    mean_x, mean_y = (np.average(a, axis=0, weights=w) if fit_intercept else np.zeros(a.shape[1:]) for a in (x, y))
    root = np.sqrt(w)
    scaled = root if y.ndim == 1 else root[:, None]
    coefficients, _, rank, _ = np.linalg.lstsq(root[:, None] * (x - mean_x), scaled * (y - mean_y), rcond=None)
    return coefficients.T, rank, mean_y - mean_x @ coefficients


def linear():
    arrays = versions()
    cases = {"plain": data(101, 5), "targets": data(53, 3, 4), "column": data(7, 1), "one_target": data(20, 2, 1),
             "exact": data(4, 3), "far": data(64, 3, means=1e4), "collinear": data(40, 6, rank=4),
             "rank_one": data(31, 4, 2, rank=1), "many": data(135, 121), "rows": data(1003, 7, 2)}
    x, y = data(33, 4)
    x[:, 2] = 0.1
    cases["constant"] = (floats(x), y)
    x, y = data(25, 3)
    x[:] = 2
    cases["constants"] = (x, y)
    x, y = data(60, 4)
    x[:, 3] = floats(x[:, 0] + x[:, 1] + 1e-4 * rng.normal(size=60))
    cases["similar"] = (x, y)
    for name, (x, y) in cases.items():
        w = floats(rng.integers(0, 9, len(x)) / 4 + 0.25)
        arrays |= {f"{name}/x": x, f"{name}/y": y, f"{name}/weights": w}
        for how, fit_intercept, weights in (("free", False, None), ("intercept", True, None), ("weighted", True, w)):
            if name in ("collinear", "rank_one"):
                coefficients, rank, intercept = shortest(x, y, fit_intercept, weights)
            else:
                fit = LinearRegression(fit_intercept=fit_intercept).fit(x, y, weights)
                coefficients, rank, intercept = fit.coef_, fit.rank_, fit.intercept_
            arrays |= {f"{name}/{how}/coefficients": coefficients, f"{name}/{how}/rank": np.int64(rank)}
            if fit_intercept: arrays[f"{name}/{how}/intercept"] = np.asarray(intercept, np.float64)
            for alpha in (1.0, 0.125):
                fit = Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(x, y, weights)
                arrays[f"{name}/{how}/ridge_{alpha}/coefficients"] = fit.coef_
                if fit_intercept:
                    arrays[f"{name}/{how}/ridge_{alpha}/intercept"] = np.asarray(fit.intercept_, np.float64)
    save("linear", arrays)


def sparse():
    arrays = versions()
    x, y = data(80, 12)
    x, y = floats(x), floats(x[:, 0] * 2 - x[:, 5] + 0.3 * rng.normal(size=80) + 1)
    cases = {"plain": (x, y), "targets": (x, np.stack([y, y - 3 * x[:, 7]], axis=1)), "wide": data(30, 130),
             "few": (x[:6], y[:6]), "dependent": (np.concatenate([x, x[:, :3]], axis=1), y)}
    for name, (x, y) in cases.items():
        w = floats(rng.integers(1, 9, len(x)) / 4)
        arrays |= {f"{name}/x": x, f"{name}/y": y, f"{name}/weights": w}
        for how, fit_intercept, weights in (("free", False, None), ("intercept", True, None), ("weighted", True, w)):
            fit = Lasso(0.1, fit_intercept=fit_intercept, tol=1e-14, max_iter=1000000).fit(x, y, weights)
            arrays[f"{name}/{how}/coefficients"] = fit.coef_
            if fit_intercept: arrays[f"{name}/{how}/intercept"] = np.asarray(fit.intercept_, np.float64)
    save("lasso", arrays)


def exact_polyfit(x, y, degree, w=None):
    """As np.polyfit, by normal equations of rational numbers: what NumPy computes of points far from zero is off itself."""
    powers = [[Fraction(v) ** (degree - i) for i in range(degree + 1)] for v in x.tolist()]
    weights = [Fraction(v) ** 2 for v in (np.ones(len(x)) if w is None else w).tolist()]
    targets = [[Fraction(v) for v in row] for row in y.reshape(len(x), -1).tolist()]
    system = [[sum(v * row[i] * column for v, row, column in zip(weights, powers, values)) for values in
               [*zip(*powers), *zip(*targets)]] for i in range(degree + 1)]
    for i, pivot in enumerate(system):
        pivot[:] = [value / pivot[i] for value in pivot]
        for row in system:
            if row is not pivot: row[:] = [value - row[i] * p for value, p in zip(row, pivot)]
    found = np.array([[float(value) for value in row[degree + 1:]] for row in system])
    return found if y.ndim == 2 else found[:, 0]


def polynomials():
    arrays = versions()
    x = floats(rng.uniform(-2, 3, 41))
    cases = {"line": (x, 2 * x + rng.normal(size=41), 1), "cubic": (x, x**3 - x + rng.normal(size=41), 3),
             "constant": (x, rng.normal(size=41), 0), "several": (x, rng.normal(size=(41, 3)), 4),
             "exact": (x[:5], rng.normal(size=5), 4), "far": (floats(x + 20), rng.normal(size=41), 2),
             "large": (floats(x * 1e9), rng.normal(size=41), 2), "one": (x[:1], np.array([7.0]), 0)}
    for name, (x, y, degree) in cases.items():
        y, w = floats(y), floats(rng.integers(1, 9, len(x)) / 4)
        arrays |= {f"{name}/x": x, f"{name}/y": y, f"{name}/weights": w, f"{name}/p": exact_polyfit(x, y, degree),
                   f"{name}/weighted": exact_polyfit(x, y, degree, w)}
        expected = np.polyfit(x, y, degree, w=w)
        assert np.allclose(expected, arrays[f"{name}/weighted"], rtol=1e-9, atol=1e-9 * np.abs(expected).max()), name
    x = np.array([1.0, 2, 1, 2, 1])  # two points, and a parabola
    y = np.array([3.0, 5, 4, 4, 2])
    p, _, rank, _, _ = np.polyfit(x, y, 2, full=True)
    arrays |= {"two/x": x, "two/y": y, "two/p": p, "two/rank": np.int64(rank)}
    x = floats(np.linspace(0, 1, 30))
    y = floats(np.exp(x))
    p, _, rank, _, _ = np.polyfit(x, y, 6, rcond=1e-3, full=True)
    arrays |= {"cut/x": x, "cut/y": y, "cut/p": p, "cut/rank": np.int64(rank)}
    save("polyfit", arrays)


def decay(t, a, rate, b):
    return a * np.exp(-rate * t) + b


def slopes_of_decay(t, a, rate, b):
    return np.stack([np.exp(-rate * t), -a * t * np.exp(-rate * t), np.ones_like(t)], axis=1)


def curves():
    arrays = versions()
    t = np.linspace(0, 4, 40)
    exact = dict(ftol=1e-15, xtol=1e-15, gtol=1e-15)
    guess, y, sigma, free, scaled, absolute = [], [], [], [], [], []
    for i in range(12):
        truth = np.array([2 + 0.2 * i, 0.4 + 0.1 * i, 0.5])
        y.append(floats(decay(t, *truth) + 0.05 * rng.normal(size=t.size)))
        sigma.append(floats(0.05 * rng.uniform(0.5, 2, t.size)))
        guess.append(floats(truth * rng.uniform(0.6, 1.5, 3)))
        for to, more in ((free, {}), (scaled, {"sigma": sigma[-1]}),
                         (absolute, {"sigma": sigma[-1], "absolute_sigma": True})):
            to.append(curve_fit(decay, t, y[-1], guess[-1], jac=slopes_of_decay, **more, **exact))
    arrays |= {"t": t, "y": np.array(y), "sigma": np.array(sigma), "guess": np.array(guess)}
    for name, fits in (("free", free), ("scaled", scaled), ("absolute", absolute)):
        arrays |= {f"{name}/p": np.array([p for p, _ in fits]), f"{name}/covariance": np.array([c for _, c in fits])}
    # A plane over points of two coordinates.
    at = rng.uniform(-1, 1, (25, 2))
    z = 3 * at[:, 0] - at[:, 1] ** 2 + 0.1 * rng.normal(size=25)
    p, covariance = curve_fit(lambda r, a, b: a * r[:, 0] + b * r[:, 1] ** 2, at, z, [1, 1],
                              jac=lambda r, a, b: np.stack([r[:, 0], r[:, 1] ** 2], axis=1), **exact)
    arrays |= {"plane/x": at, "plane/y": z, "plane/p": p, "plane/covariance": covariance}
    save("curve_fit", arrays)


def probabilities(x, coefficients, intercept):
    logits = x @ coefficients.T + intercept
    logits = np.concatenate([0 * logits, logits], axis=1) if len(coefficients) == 1 else logits
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def polished(x, y, weights, penalty, coefficients, intercept, fit_intercept):
    """The fit of scikit-learn, whose solvers stop at some 1e-8, brought to rounding by Newton's method."""
    one = len(coefficients) == 1
    k, d = (2 if one else len(coefficients)), x.shape[1]
    means = x.mean(0) if fit_intercept else np.zeros(d)
    rows = np.concatenate([x - means, np.ones((len(x), 1))], axis=1) if fit_intercept else x
    logits = range(1, 2) if one else range(k)
    parameters = np.concatenate([coefficients, (intercept + coefficients @ means)[:, None]], axis=1)[:, :rows.shape[1]]
    ridge = np.diag(([penalty] * d + [0])[:rows.shape[1]])
    for _ in range(4):
        p = probabilities(rows, parameters, np.zeros(len(parameters)))
        gradient = np.stack([((p[:, a] - (y == a)) * weights) @ rows + ridge @ parameters[i] for i, a in enumerate(logits)])
        hessian = np.block([[(rows.T * (weights * p[:, a] * ((a == b) - p[:, b]))) @ rows + (a == b) * ridge for b in logits] for a in logits])
        step = np.linalg.lstsq(hessian, gradient.ravel(), rcond=1e-14)[0].reshape(gradient.shape)
        assert np.abs(step).max() < 1e-4 * np.abs(parameters).max()
        parameters = parameters - step
        if not one: parameters -= parameters.mean(0)
    intercept = parameters[:, d] - parameters[:, :d] @ means if fit_intercept else np.zeros(len(parameters))
    return parameters[:, :d], intercept


def classes():
    arrays = versions()
    own = np.random.default_rng(47)  # apart from those of the other files

    def rows(n, d, k, mean=0.0, noise=1.0):
        x = own.integers(-64, 65, (n, d)) / 32
        scores = x @ own.normal(size=(d, k)) + noise * own.gumbel(size=(n, k))
        return floats(x + mean), np.argmax(scores, axis=1)

    cases = {"two": rows(120, 4, 2), "three": rows(150, 3, 3), "five": rows(201, 6, 5), "one_column": rows(40, 1, 2), "far": rows(80, 3, 2, 1024.0),
             "far_three": rows(90, 2, 3, 512.0), "wide": rows(60, 100, 2), "two_of_softmax": rows(70, 2, 2), "sharp": rows(100, 2, 2, noise=0.05)}
    for name, (x, y) in cases.items():
        softmax = name == "two_of_softmax" or y.max() > 1
        w = floats(own.integers(0, 9, len(x)) / 4 + 0.25)
        arrays |= {f"{name}/x": x, f"{name}/y": y.astype(np.int64), f"{name}/weights": w}
        for how, fit_intercept, weights, alpha in (("free", False, None, 1.0), ("intercept", True, None, 1.0), ("weighted", True, w, 0.125)):
            fit = LogisticRegression(C=1 / alpha, fit_intercept=fit_intercept, tol=1e-10, max_iter=100000, solver="newton-cg" if softmax else "newton-cholesky")
            fit.fit(x, y, weights)
            coefficients, intercept = fit.coef_, np.zeros(len(fit.coef_)) + fit.intercept_
            if name == "two_of_softmax":  # two classes with coefficients of their own have the penalty of both halves
                fit = LogisticRegression(C=2 / alpha, fit_intercept=fit_intercept, tol=1e-10, max_iter=100000, solver="newton-cholesky").fit(x, y, weights)
                coefficients = np.concatenate([-fit.coef_, fit.coef_]) / 2
                intercept = np.concatenate([-1 * np.ones(1) * fit.intercept_, np.ones(1) * fit.intercept_]) / 2
            coefficients, intercept = polished(x, y, np.ones(len(x)) if weights is None else weights, alpha, coefficients, intercept, fit_intercept)
            p = probabilities(x, coefficients, intercept)
            arrays |= {f"{name}/{how}/coefficients": coefficients if softmax else coefficients[0], f"{name}/{how}/probabilities": p if softmax else p[:, 1]}
            if fit_intercept: arrays[f"{name}/{how}/intercept"] = np.asarray(intercept if softmax else intercept[0], np.float64)
    save("logistic", arrays)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of solvers that are asked for more digits than they have
    classes()
if sys.argv[2:] == ["logistic"]: sys.exit()
warnings.simplefilter("error")
linear()
polynomials()
curves()
sparse()
