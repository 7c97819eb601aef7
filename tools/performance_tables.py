#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the performance tables of README.md and docs/ from measurements that the repository keeps.

  tools/performance_tables.py keep NAME FILE...  write docs/measurements/NAME.json from the JSON files of benchmarks
                                                 (--benchmark_out=FILE) and of bench/peers.py, of one machine; programs
                                                 and operations of peers that no file is of keep what was measured before
  tools/performance_tables.py                    write the tables between their marks in the documents
  tools/performance_tables.py --check            fail where a table is not what its measurements say
  tools/performance_tables.py targets NAME       print what the workloads are to reach, and whether they do

A mark is a line `<!-- table: KIND NAME -->`, where KIND is highlights (a few workloads), workloads (the reference
workloads), shapes (those that suit no pack), operations (everything), hosts (what NumPy and SciPy have, beside them), ranks (bench_distributed on one rank and on two,
kept from one_rank.json and two_ranks.json) or scaling (what tools/scaling_model.py makes of them); the table ends before
`<!-- end of table -->`.
"""
import json
import pathlib
import re
import sys

import scaling_model

TOP = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "docs/performance.md", "docs/distributed.md"]
PROGRAMS = {"map": "Maps and copies", "lazy": "Lazy operands", "reduce": "Reductions", "scan": "Scans", "stencil": "Stencils and filters",
            "integrate": "Integrals", "random": "Random numbers", "keyed": "Order and keys", "analysis": "Analysis", "fits": "Fits",
            "transfer": "Transfers between host and device", "chunked": "Arrays of the host and files",
            "autodiff": "Derivatives and many small systems", "fft": "Fourier transforms",
            "linalg": "Products and batches of small matrices", "dense": "Single matrices"}

# What is shown of the reference workloads, the benchmark's operation and size, the target on one H200 in ms (or as a share of the limit, "0.60 L"),
# and the more ambitious aim.
WORKLOADS = [
    ("vector_add float32 1e8", "vector_add/float32", 10**8, "0.290", "0.283"),
    ("vector_add_int int32 4096", "vector_add_int/int32", 4096, "0.006", ""),
    ("trig_identity float32 1e7", "trig_identity/float32", 10**7, "0.065", ""),
    ("trig_identity float64 1e7", "trig_identity/float64", 10**7, "0.060", ""),
    ("selu float32 1e6", "selu/float32", 10**6, "0.006", ""),
    ("elementwise float64 10000²", "elementwise/float64", 10**4, "0.60 L", "0.75 L"),
    ("slice_copy float64 10000²", "slice_copy/float64", 10**4, "0.60 L", ""),
    ("broadcast_add float64 10000²", "broadcast_add/float64", 10**4, "0.95 L", ""),
    ("sum float64 1e8", "sum/float64", 10**8, "0.195", ""),
    ("sum float32 1e9, to a rank-0 View", "sum/float32", 10**9, "0.915", ""),
    ("sum float32 1e9, to the host", "sum_to_host/float32", 10**9, "0.930", ""),
    ("mean_var float64 1e8", "mean_var/float64", 10**8, "0.200", ""),
    ("argmax float64 1e8", "argmax/float64", 10**8, "0.200", ""),
    ("sum_axis float64 10000², axis 0", "sum_axis0/float64 n2", 10**4, "0.205", ""),
    ("sum_axis float64 10000², axis 1", "sum_axis1/float64 n2", 10**4, "0.193", ""),
    ("sum_reproducible float64 1e8", "sum_reproducible/float64", 10**8, "0.215", ""),
    ("cumsum float64 1e8", "cumsum/float64", 10**8, "0.63", "0.42"),
    ("smooth int8 10000²", "smooth/int8 n2", 10**4, "0.110", ""),
    ("smooth int8 20000²", "smooth/int8 n2", 20000, "0.370", "0.30"),
    ("laplacian float64 512³", "laplacian/float64 n3", 512, "0.650", "0.55"),
    ("heat float64 512³, 10 steps", "heat_10_steps/float64 n3", 512, "10.5 laplacians", ""),
    ("integrate2d float64 102400²", "integrate2d/float64 n2", 102400, "23", "20"),
    ("integrate2d float32 102400²", "integrate2d/float32 n2", 102400, "13", "12"),
    ("uniform float64 1e8", "uniform_f64", 10**8, "0.21", ""),
    ("normal float32 1e8", "normal_f32", 10**8, "0.13", ""),
    ("sort float64 1e8", "sort_f64", 10**8, "6.7", ""),
    ("sort int32 1e8", "sort_i32", 10**8, "2.6", ""),
    ("argsort float64 1e8", "argsort_f64", 10**8, "9.9", ""),
    ("unique int32 1e8, 1000 values, with counts", "unique_i32", 10**8, "4.0", ""),
    ("histogram float64 1e8, 256 bins", "histogram_256_f64", 10**8, "0.30", ""),
    ("group_sum int32, float64 1e8, 1000 keys", "group_sum_1000_f64", 10**8, "0.60", ""),
    ("matmul float64 (1024 x 2048)(2048 x 512)", "matmul/float64 n x 2n x n/2", 1024, "0.044", ""),
    ("matmul float64 1000³", "matmul/float64", 1000, "0.049", ""),
    ("matmul float64 10000³", "matmul/float64", 10**4, "32", ""),
    ("matmul float32 X Xᵀ 3000²", "matmul_transposed/float32", 3000, "1.25", ""),
    ("vmap_matvec float32 150 x 100, 10", "vmap_matvec/float32 150x100", 10, "0.010", ""),
    ("batched_matvec float64 8 x 8, 1e5", "batched_matvec/float64 8x8", 10**5, "0.030", ""),
    ("batched_solve float64 8 x 8, 1e5", "batched_solve/float64 8x8", 10**5, "0.120", ""),
    ("qr float64 1e6 x 100", "qr/float64 m x 100", 10**6, "4", "3"),
    ("svd float64 1e6 x 100", "svd/float64 m x 100", 10**6, "8", "6"),
    ("svd float64 20000 x 1000", "svd/float64 m x 1000", 20000, "107", ""),
    ("svd float64 10000 x 1000", "svd/float64 m x 1000", 10**4, "96", ""),
    ("svd float64 1000²", "svd/float64 n x n", 1000, "91", ""),
    ("solve float64 4000²", "solve/float64 n x n", 4000, "14", ""),
    ("eigh float64 4000²", "eigh/float64 n x n", 4000, "104", ""),
    ("gradient float64 5e7, 3 inputs", "with_gradient/float64 of 3", 5 * 10**7, "0.80", ""),
    ("odeint float64 1e6 systems of 2", "odeint/float64 2 at 11 times", 10**6, "67", ""),
    ("fft complex128, rows of 10000²", "fft_rows/complex128 n2", 10**4, "1.17", ""),
    ("rfftn float64 512³", "rfftn/float64 n3", 512, "1.90", ""),
    ("poisson float64 512³", "poisson/float64 n3", 512, "", ""),
]

# Shapes that suit no pack and no team: the title, operation, size, what Quern 0.1 took on another such card, and the best other there.
SHAPES = [
    ("star of radius 2, float32, keep, 400 x 401 x 402", "star_of_13/float32 400x401xn", 402, "0.551", "CUDA kernel 0.288"),
    ("the same, 400 x 401 x 400", "star_of_13/float32 400x401xn", 400, "", ""),
    ("5 points, float32, keep, 8191²", "five_points/float32 n2", 8191, "0.280", "CUDA kernel 0.237"),
    ("the same, 8192²", "five_points/float32 n2", 8192, "", ""),
    ("27 points, float64, nearest, 400 x 401 x 402", "box_of_27_nearest/float64 400x401xn", 402, "0.721", "CUDA kernel 0.817"),
    ("the same, 400 x 401 x 403", "box_of_27_nearest/float64 400x401xn", 403, "", ""),
    ("7 points, float64, keep, 511³", "laplacian/float64 n3", 511, "", ""),
    ("the same, 514³", "laplacian/float64 n3", 514, "", ""),
    ("the same, 512³", "laplacian/float64 n3", 512, "", ""),
    ("3 x 3, int8, keep, 9999²", "smooth/int8 n2", 9999, "", ""),
    ("the same, 10000²", "smooth/int8 n2", 10000, "", ""),
    ("correlate 11 x 11, float32, 8191²", "correlate_11x11/float32 n2", 8191, "3.51", "CuPy 4.2"),
    ("correlate 7 x 7, float32, 8191²", "correlate_7x7/float32 n2", 8191, "", ""),
    ("uniform filter of 15, float32, 8191²", "uniform_15x15/float32 n2", 8191, "1.02", "CuPy 3.5"),
    ("Gaussian filter, sigma 1, float32, 8191²", "gaussian_1/float32 n2", 8191, "0.86", "CuPy 2.3"),
    ("Gaussian filter, sigma 2, float32, 8191²", "gaussian_2/float32 n2", 8191, "", ""),
    ("sum over axis 1, float64, 100 000 x 777", "sum_axis1/float64 1e5xn", 777, "0.181", "PyTorch 0.162"),
    ("max over axis 1, float64, 100 000 x 777", "max_axis1/float64 1e5xn", 777, "0.179", "PyTorch 0.161"),
    ("argmax over axis 1, float64, 100 000 x 777", "argmax_axis1/float64 1e5xn", 777, "0.209", "PyTorch 0.186"),
    ("mean over axis 1, float32, 300 x 400 x 500", "mean_axis1/float32 300x400xn", 500, "0.083", "PyTorch 0.062"),
    ("sum over axes 0 and 2, float32, 300 x 400 x 500", "sum_axes02/float32 300x400xn", 500, "0.139", "PyTorch 0.116"),
    ("sum, int8, 4e8", "sum/int8", 4 * 10**8, "0.478", "CuPy 0.61"),
    ("sum, int16, 2e8", "sum/int16", 2 * 10**8, "", ""),
    ("map, int8, 4e8", "affine/int8", 4 * 10**8, "0.235", "PyTorch 0.243"),
    ("x + transposed y, float64, 8000²", "add_transposed/float64 n2", 8000, "0.470", "CuPy 0.591"),
    ("compact by a predicate, half of float32, 1e8", "compact_half_f32", 10**8, "0.800", "PyTorch 0.784"),
    ("the same, float64", "compact_half_f64", 10**8, "", ""),
    ("group_by and sum, 5e7 rows, 1e7 keys of int32", "group_by_i32 5e7 rows", 10**7, "14.2", "PyTorch 8.5"),
    ("the same, 1000 keys", "group_by_i32 5e7 rows", 1000, "", ""),
    ("unique int32, 5e7 in [0, 1e7)", "unique_1e7_i32", 5 * 10**7, "1.37", "PyTorch 1.14"),
    ("batched products, float32, 16 x 16, 1e5", "batched_matmul/float32 16x16", 10**5, "0.259", "cuBLAS 0.254"),
    ("batched products, float64, 8 x 8, 1e5", "batched_matmul/float64 8x8", 10**5, "0.105", "cuBLAS 0.341"),
    ("batched inverses, float64, 64 x 64, 1e4", "batched_inv/float64 64x64", 10**4, "22.5", ""),
    ("batched QR, float64, 64 x 64, 1e4", "batched_qr/float64 64x64", 10**4, "17.2", ""),
    ("batched SVD, float64, 64 x 64, 1e4", "batched_svd/float64 64x64", 10**4, "126", ""),
    ("batched Cholesky, float64, 64 x 64, 1e4", "batched_cholesky/float64 64x64", 10**4, "2.79", "cuSOLVER 1.52"),
    ("reproducible cumsum, float64, 1e8", "cumsum_reproducible/float64", 10**8, "1.92", ""),
    ("sum to the host, float64, 1e4", "sum_to_host/float64", 10**4, "0.0143", ""),
]

COMPUTE = ("linalg", "dense")  # programs whose rate is in floating-point operations
HIGHLIGHTS = ["trig_identity float32 1e7", "mean_var float64 1e8", "smooth int8 20000²", "sort float64 1e8",
              "histogram float64 1e8, 256 bins", "svd float64 1e6 x 100"]


def keep(name, files):
    target = TOP / "docs/measurements" / f"{name}.json"
    kept = {"machine": {}, "commits": {}, "limit_GB/s": {}, "rows": [], "peers": [], "versions": {}}
    if target.exists():
        kept |= json.loads(target.read_text())
    for file in map(pathlib.Path, files):
        data = json.loads(file.read_text())
        if "peers" in data:
            measured = {(p["operation"], p["size"]) for p in data["peers"]}
            kept["peers"] = [p for p in kept["peers"] if (p["operation"], p["size"]) not in measured] + data["peers"]
            kept["versions"].update(data["versions"])
            continue
        program = re.sub(r"^bench_", "", file.stem)
        context = data["context"]
        kept["machine"] = {k: context[k] for k in ("compiler", "execution_space")}
        kept["commits"][program] = context["quern"]
        kept["rows"] = [row for row in kept["rows"] if row["program"] != program]
        kept["limit_GB/s"][program] = round(float(context["copy_limit_GB/s"]))
        for row in data["benchmarks"]:
            operation, variant, size = row["name"].split("/iterations:")[0].rsplit("/", 2)
            if "error_message" in row:
                if variant == "quern":
                    sys.exit(f"{row['name']}: {row['error_message']}")
                print(f"left out: {row['name']}: {row['error_message']}")  # a plain sum in float loses small values
                continue
            entry = {"program": program, "operation": operation, "size": int(size), "variant": variant}
            entry |= {"ms": row["real_time"], "runs": int(row["runs"])}
            entry |= {k: row[k] for k in ("GB/s", "GFLOP/s", "limit_%") if row.get(k)}
            kept["rows"].append({k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in entry.items()})
    kept["rows"].sort(key=lambda row: list(PROGRAMS).index(row["program"]) if row["program"] in PROGRAMS else 0)
    lines = [json.dumps(k) + ": " + ("[\n" + ",\n".join(map(json.dumps, v)) + "\n]" if isinstance(v, list) else json.dumps(v))
             for k, v in kept.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def milliseconds(ms):
    if ms < 0.01:
        return f"{ms:.5f}"
    return f"{ms:.4f}" if ms < 1 else f"{ms:.2f}" if ms < 100 else f"{ms:.0f}"


class Measurements:
    def __init__(self, name):
        data = json.loads((TOP / "docs/measurements" / f"{name}.json").read_text())
        self.operations = {}  # in the order of the benchmarks
        for row in data["rows"]:
            self.operations.setdefault((row["program"], row["operation"], row["size"]), {})[row["variant"]] = row
        self.peers = {}
        for peer in data["peers"]:
            self.peers.setdefault((peer["operation"], peer["size"]), []).append((peer["peer"], peer["ms"]))

    def program_of(self, operation, size):
        return next(p for p, o, n in self.operations if (o, n) == (operation, size))

    def find(self, operation, size):
        return next((v for (_, o, n), v in self.operations.items() if (o, n) == (operation, size)), None)

    @staticmethod
    def plain(variants):
        times = [v["ms"] for k, v in variants.items() if k.startswith("plain") or k == "deep_copy"]
        return milliseconds(min(times)) if times else ""

    def others(self, operation, size, variants):
        found = [(k.replace("_", " "), v["ms"]) for k, v in variants.items()
                 if not k.startswith(("quern", "plain")) and k != "deep_copy"]
        return ", ".join(f"{k} {milliseconds(ms)}" for k, ms in found + self.peers.get((operation, size), []))


def reached(m, row, target):
    number = float(target.split()[0])
    if target.endswith(" L"):
        return row["limit_%"] >= 100 * number
    if target.endswith("laplacians"):
        return row["ms"] <= number * m.find("laplacian/float64 n3", 512)["quern"]["ms"]
    return row["ms"] <= number


def chosen(m, wanted):
    yield "| workload | Quern, ms | share of limit | plain Kokkos loop, ms | others, ms |"
    yield "| --- | --- | --- | --- | --- |"
    for title, operation, size, _, _ in WORKLOADS:
        variants = m.find(operation, size)
        if not wanted(title):
            continue
        if not variants:
            yield f"| {title} | not measured | | | |"
            continue
        row = variants["quern"]
        share = f"{row['limit_%']:.0f} %" if "limit_%" in row and m.program_of(operation, size) not in COMPUTE else ""
        yield (f"| {title} | {milliseconds(row['ms'])} | {share} | {m.plain(variants)} "
               f"| {m.others(operation, size, variants)} |")


def workloads(m):
    return chosen(m, lambda title: True)


def highlights(m):
    return chosen(m, lambda title: title in HIGHLIGHTS)


def shapes(m):
    yield "| operation | Quern, ms | share of limit | Quern 0.1, ms | plain Kokkos loop, ms | best other, ms |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for title, operation, size, before, other in SHAPES:
        if variants := m.find(operation, size):
            row = variants["quern"]
            share = f"{row['limit_%']:.0f} %" if "limit_%" in row and m.program_of(operation, size) not in COMPUTE else ""
            yield f"| {title} | {milliseconds(row['ms'])} | {share} | {before} | {m.plain(variants)} | {other} |"


def print_targets(m):
    """For developers: what a workload is to reach on an H200, and whether it does."""
    for title, operation, size, target, aim in WORKLOADS:
        row = (m.find(operation, size) or {}).get("quern")
        verdict = "not measured" if row is None else "missed" if not reached(m, row, target) else \
            "aim reached" if aim and reached(m, row, aim) else "reached"
        print(f"{title:45} {target + (f' [{aim}]' if aim else ''):16} {milliseconds(row['ms']) if row else '':>9} {verdict}")


def operations(m):
    last = None
    for (program, operation, size), variants in m.operations.items():
        if program != last:
            if last:
                yield ""
            rate = "GFLOP/s" if program in COMPUTE else "GB/s"
            yield f"**{PROGRAMS[program]}** (`bench_{program}`)\n"
            yield f"| operation | size | Quern, ms | {rate} | share of limit | best plain loop, ms | others, ms |"
            yield "| --- | --- | --- | --- | --- | --- | --- |"
            last = program
        for variant, row in variants.items():
            if not variant.startswith("quern"):
                continue
            title = operation + variant.removeprefix("quern").replace("_", ", ", 1).replace("_", " ")
            grouped = f"{size:,}".replace(",", " ")
            share = f"{row['limit_%']:.0f} %" if "limit_%" in row and rate == "GB/s" else ""
            speed = f"{row[rate]:.0f}" if rate in row else ""
            compared = (m.plain(variants), m.others(operation, size, variants)) if variant == "quern" else ("", "")
            yield f"| {title} | {grouped} | {milliseconds(row['ms'])} | {speed} | {share} | {' | '.join(compared)} |"


def hosts(m):
    """What the libraries of Python have on hosts, with the ratio of their time to Quern's, and plain loops where they were timed."""
    found = [(operation, size, peers[0], variants) for (operation, size), peers in m.peers.items() if (variants := m.find(operation, size))]
    loops = any(m.plain(variants) for *_, variants in found)
    yield f"| operation | size | Quern, ms |{' best plain loop, ms |' if loops else ''} NumPy or SciPy, ms | Quern is so many times as fast |"
    yield "| --- | --- | --- | --- | --- |" + (" --- |" if loops else "")
    for operation, size, (peer, theirs), variants in found:
        ms = variants["quern"]["ms"]
        grouped = f"{size:,}".replace(",", " ")
        plain = f" {m.plain(variants)} |" if loops else ""
        yield f"| {operation} | {grouped} | {milliseconds(ms)} |{plain} {peer} {milliseconds(theirs)} | {theirs / ms:.2g} |"


def of_ranks(m):
    program = {1: "one_rank", 2: "two_ranks"}
    return lambda ranks, operation, size: m.operations[(program[ranks], f"distributed/{operation}/float64", size)]["quern"]["ms"]


def ranks(m):
    titles = {"one_face": "halo exchange of one face, n² cells", "two_faces": "of two faces, periodic", "heat": "a step of heat, n³ cells a device",
              "sum": "sum, n elements a device", "svd": "svd, n x 100 rows a device"}
    yield "| operation | n | one device, ms | two devices, ms | weak efficiency | plain Kokkos and MPI on two, ms |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for (program, operation, size), variants in m.operations.items():
        name = operation.split("/")[1]
        if program != "two_ranks" or name not in titles:
            continue
        one, two = (of_ranks(m)(r, name, size) for r in (1, 2))
        exchange = name.endswith(("face", "faces"))
        grouped = f"{size:,}".replace(",", " ")
        of_one = ("", "") if exchange else (milliseconds(one), f"{100 * one / two:.1f} %")
        yield f"| {titles[name]} | {grouped} | {of_one[0]} | {milliseconds(two)} | {of_one[1]} | {m.plain(variants)} |"


def scaling(m):
    return scaling_model.table(of_ranks(m), [("NVLink, as measured", None), ("network, 25 GB/s, 40 us", (40e-6, 25e9))])


def with_tables(text):
    def table(match):
        kinds = {"workloads": workloads, "highlights": highlights, "operations": operations, "shapes": shapes, "hosts": hosts, "ranks": ranks, "scaling": scaling}
        rows = kinds[match[1]](Measurements(match[2]))
        return f"<!-- table: {match[1]} {match[2]} -->\n" + "\n".join(rows) + "\n<!-- end of table -->"

    return re.sub(r"<!-- table: (\w+) (\S+) -->\n.*?<!-- end of table -->", table, text, flags=re.S)


def main(arguments):
    if arguments[:1] == ["keep"]:
        return keep(arguments[1], arguments[2:])
    if arguments[:1] == ["targets"]:
        return print_targets(Measurements(arguments[1]))
    wrong = []
    for document in map(TOP.joinpath, DOCUMENTS):
        text = document.read_text()
        new = with_tables(text)
        if new != text and "--check" in arguments:
            wrong.append(document.name)
        elif new != text:
            document.write_text(new)
    if wrong:
        sys.exit(f"tables of {', '.join(wrong)} are not those of docs/measurements; run tools/performance_tables.py")


if __name__ == "__main__":
    main(sys.argv[1:])
