# Cleans the frame of a detector and measures the star in it: the NumPy version of main.cpp.
# python3 numpy_version.py > numpy_output.txt
import numpy as np
from scipy import ndimage

np.set_printoptions(precision=3, threshold=100)

ny, nx = 60, 80
stream = np.arange(ny * nx)
noise = stream * 7919 % 1009 / 1009
frame = np.flip(np.reshape(noise, (ny, nx)), axis=1)
y, x = np.meshgrid(np.arange(ny), np.arange(nx), indexing="ij")
frame = frame + 40 * np.exp(-((y - 21) ** 2 + (x - 33) ** 2) / 18)
frame += np.repeat(np.linspace(100, 107, ny // 4), 4)[:, np.newaxis]
frame[5::17, 3::13] = 4000
print(frame)

clean = ndimage.median_filter(frame, 3, mode="nearest")
hot = np.abs(frame - clean) > 100
print(np.count_nonzero(hot), "hot pixels, the mean of the others is", f"{np.mean(frame, where=~hot):.4f}")
frame = np.where(hot, clean, frame)
level = np.median(frame, axis=1, keepdims=True)
print(np.diff(level[::12, 0]))
frame -= level

padded = np.pad(frame, 2, mode="reflect")
print(padded[:4, -5:])
jumps = np.abs(frame - np.roll(frame, 1, axis=0))
print(np.max(jumps, axis=1)[18:26])
row, column = np.unravel_index(np.argmax(frame), frame.shape)
print("brightest pixel:", row, column)
light = np.clip(np.sum(frame[row - 9:row + 10, column - 9:column + 10], axis=0), 0, None)
share = np.cumsum(light) / np.sum(light)
print(np.interp([0.25, 0.5, 0.75], share, np.arange(column - 9, column + 10)))
print(np.take(light, np.argsort(light)[-5:]))
