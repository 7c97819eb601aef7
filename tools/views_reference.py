#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/views/data/numpy.npz: what NumPy makes of arrays that are re-indexed. Run it to renew the file, which
NumPy 2.2.4 has made:

    python3 tools/views_reference.py tests
"""
import sys

import numpy as np

arrays = {}


def array(name, values):
    arrays[name] = np.array(values, dtype=np.int64, order="C")


def reals(name, values):
    arrays[name] = np.array(values, dtype=np.float64, order="C")


v = np.arange(11)
x = np.arange(35).reshape(5, 7)
y = np.arange(48).reshape(2, 4, 6)
array("v", v)
array("x", x)
array("y", y)

# By strides.
array("permute_y_201", np.transpose(y, (2, 0, 1)))
array("permute_y_021", np.transpose(y, (0, 2, 1)))
array("moveaxis_y_0_m1", np.moveaxis(y, 0, -1))
array("moveaxis_y_01_m1m2", np.moveaxis(y, (0, 1), (-1, -2)))
array("flip_x", np.flip(x))
array("flip_x_1", np.flip(x, 1))
array("flip_y_02", np.flip(y, (0, 2)))
array("slice_v_2_9_3", v[2:9:3])
array("slice_v_back", v[::-1])
array("slice_v_8_1_m3", v[8:1:-3])
array("slice_v_m4_end", v[-4:])
array("slice_v_beyond", v[-50:50])
array("slice_v_beyond_back", v[50:-50:-4])
array("slice_v_none", v[7:3])
array("slice_v_to_first", v[5::-2])
array("slice_x", x[1:, ::-2])
array("diagonal_x", np.diagonal(x))
array("diagonal_x_2", np.diagonal(x, 2))
array("diagonal_x_m3", np.diagonal(x, -3))
array("diagonal_x_9", np.diagonal(x, 9))
array("diagonal_y_1_2_0", np.diagonal(y, 1, 2, 0))
array("expand_x_1", np.expand_dims(x, 1))
array("expand_x_0_3", np.expand_dims(x, (0, 3)))
array("broadcast_v_3", np.broadcast_to(v, (3, 11)))
array("broadcast_column", np.broadcast_to(x[:, 2:3], (2, 5, 4)))
array("reshape_v", np.append(v, 11).reshape(3, 4))
array("reshape_x_7_5", x.reshape(7, 5))
array("reshape_y_8_m1", y.reshape(8, -1))
array("reshape_yt_12_4", np.transpose(y, (2, 0, 1)).reshape(12, 4))
array("reshape_flip_y_6_8", np.flip(y, 2).reshape(6, 8))

# By maps of indices.
for shift in (0, 1, -1, 4, 13, -30):
    array(f"roll_v_{shift}", np.roll(v, shift))
    array(f"roll_x_{shift}", np.roll(x, shift))
    array(f"roll_x_0_{shift}", np.roll(x, shift, 0))
    array(f"roll_x_1_{shift}", np.roll(x, shift, 1))
array("roll_y_1_m2", np.roll(y, (1, -2), (0, 2)))
rows = np.array([4, 0, -1, 2, 2, -5])
array("rows", rows)
array("take_x_0", np.take(x, rows, 0))
array("take_x_1", np.take(x, rows, 1))
wild = np.array([7, -8, 0, 100, -100, 4])
array("wild", wild)
array("take_x_0_wrap", np.take(x, wild, 0, mode="wrap"))
array("take_x_0_clip", np.take(x, wild, 0, mode="clip"))
array("take_y_1", np.take(y, [3, 3, 0], 1))
grid = np.array([[3, -1, 0], [1, 1, -4]])
array("grid", grid)
array("take_x_0_grid", np.take(x, grid, 0))
array("take_y_1_grid", np.take(y, grid, 1))
array("take_flip_v_grid", np.take(np.flip(v), grid.T))
cube = grid.reshape(1, 3, 2)
array("cube", cube)
array("take_x_1_cube", np.take(x, cube, 1, mode="wrap"))
for mode in ("edge", "wrap", "reflect", "symmetric"):
    array(f"pad_x_{mode}", np.pad(x, ((2, 1), (0, 3)), mode))
    array(f"pad_x_wide_{mode}", np.pad(x, ((11, 17), (23, 9)), mode))
    array(f"pad_y_{mode}", np.pad(y, 1, mode))
    array(f"pad_one_{mode}", np.pad(v[3:4], (3, 2), mode))
array("pad_x_constant", np.pad(x, ((2, 1), (0, 3)), constant_values=9))
array("pad_y_zero", np.pad(y, ((1, 2), (1, 2), (1, 2))))
array("pad_empty", np.pad(v[:0], (2, 1), constant_values=3))
# Mirrored values, and ramps. What an int8 does not hold wraps around.
for mode in ("reflect", "symmetric"):
    array(f"pad_x_{mode}_odd", np.pad(x, ((2, 1), (0, 3)), mode, reflect_type="odd"))
    array(f"pad_x_wide_{mode}_odd", np.pad(x.astype(np.int8), ((11, 17), (23, 9)), mode, reflect_type="odd"))
    array(f"pad_y_{mode}_odd", np.pad(y, 1, mode, reflect_type="odd"))
    array(f"pad_one_{mode}_odd", np.pad(v[3:4], (3, 2), mode, reflect_type="odd"))
array("pad_x_even", np.pad(x, ((11, 17), (23, 9)), "reflect"))
array("pad_y_ramp", np.pad(y, 1, "linear_ramp", end_values=((3, 5), (3, 5), (3, 5))))
array("pad_v_ramp", np.pad(v[3:4], (3, 2), "linear_ramp", end_values=(0, 1)))
samples = np.random.default_rng(20261129).normal(size=(4, 3))
reals("samples", samples)
for mode in ("reflect", "symmetric"):
    reals(f"pad_samples_{mode}_odd", np.pad(samples, 2, mode, reflect_type="odd"))
reals("pad_samples_ramp", np.pad(samples, ((7, 3), (5, 1)), "linear_ramp", end_values=((0.1, -3), (1e9, 0.7))))
steps = np.array([[7, -5, 120], [1, -128, 127]], dtype=np.int8)
array("steps", steps)
array("pad_steps_ramp", np.pad(steps, ((5, 3), (7, 4)), "linear_ramp", end_values=((-100, 3), (100, -77))))
array("pad_steps_odd", np.pad(steps, ((4, 3), (9, 4)), "symmetric", reflect_type="odd"))
array("tile_v_3", np.tile(v, 3))
array("tile_x_2_3", np.tile(x, (2, 3)))
array("tile_x_3", np.tile(x, 3))
array("tile_v_2_2", np.tile(v, (2, 2)))
array("tile_x_0", np.tile(x, (0, 2)))
array("repeat_x", np.repeat(x, 2))
array("repeat_x_0", np.repeat(x, 3, 0))
array("repeat_x_1", np.repeat(x, 3, 1))
array("repeat_x_none", np.repeat(x, 0, 1))
counts = np.array([2, 0, 3, 1, 1])
array("counts", counts)
array("repeat_x_0_counts", np.repeat(x, counts, 0))
array("repeat_xt_1_counts", np.repeat(x.T, counts, 1))

array("remove_x_0_2", np.delete(x, 2, 0))
array("remove_x_1_m1", np.delete(x, -1, 1))
array("remove_x_1_2_5", np.delete(x, slice(2, 5), 1))
array("remove_x_1_every_2", np.delete(x, slice(1, None, 2), 1))
array("remove_x_1_every_3_back", np.delete(x, slice(None, None, -3), 1))
array("remove_x_0_all", np.delete(x, slice(None), 0))
array("remove_x_0_none", np.delete(x, slice(3, 3), 0))
removed = np.array([3, -1, 0, 3, -4])
array("removed", removed)
array("remove_x_1_removed", np.delete(x, removed, 1))
array("remove_x_0_removed", np.delete(x, removed, 0))
array("remove_flip_y_1_removed", np.delete(np.flip(y, 0), removed, 1))
array("flip_remove_roll_x", np.flip(np.delete(np.roll(x, 1, 0), 1, 0), 1))

# Of each other.
array("flip_roll_x", np.flip(np.roll(x, 2, 1)))
array("roll_flip_x", np.roll(np.flip(x, 0), 2, 0))
array("pad_take_flip", np.pad(np.take(np.flip(x, 1), rows, 0), 1, "reflect"))
array("slice_pad_tile", np.pad(np.tile(x, (1, 2)), ((1, 1), (2, 2)), constant_values=7)[::-2, 1:-1:3])
array("transpose_repeat", np.repeat(x, 2, 0).T)
array("reshape_pad", np.pad(x, ((0, 1), (1, 0)), constant_values=8).reshape(4, 12))
array("take_take", np.take(np.take(x, rows, 0), [1, 6, 0], 1))
array("roll_padded_diagonal", np.roll(np.diagonal(np.pad(x, 1, "edge"), 1), 1))

np.savez(f"{sys.argv[1]}/views/data/numpy.npz", **arrays)
