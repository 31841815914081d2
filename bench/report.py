"""Writes the report and its plots from the results of the runs:  python3 report.py RESULTS OUTPUT [quick]
RESULTS holds a folder for each build with the JSON of Google Benchmark; bench/report.sh makes it and calls this."""

import json
import pathlib
import statistics
import subprocess
import sys

import targets
from report_text import bullets, conditions, fill, table, words

HERE = pathlib.Path(__file__).resolve().parent
LAYOUTS = ["half", "interleaved"]
BUILDS = ["o3_native", "o2_native", "o2_haswell", "o2", "o2_no_dispatch"]
COUNTERS = ["ratio", "error", "bytes_per_second", "real_time", "speedup"]
OTHERS = [("rotate_pairs", "posenc, ready table"), ("eigen_table", "Eigen, ready table"),
          ("std_sin_cos", "`std::sin`, `std::cos`"), ("torch", "LibTorch, ready table"), ("ggml", "ggml")]


def read(results):
    """{build: {benchmark: counters}}, {build: context}. Of several runs the median counts, and the largest error."""
    runs, contexts = {}, {}
    for build in BUILDS:
        found = {}
        for path in sorted((results / build).glob("*.json")):
            data = json.loads(path.read_text())
            context = contexts.setdefault(build, {**data["context"], "others": set()})
            context["others"] |= {data["context"]["others"]} if "others" in data["context"] else set()
            for run in data["benchmarks"]:
                name = run["name"].removesuffix("/manual_time")
                if run.get("error_occurred"):
                    print(f"{build}: {name}: {run['error_message']}", file=sys.stderr)
                    if not name.startswith("threads"):  # a machine with one processor is no error of posenc's
                        sys.exit(1)
                else:
                    found.setdefault(name, []).append(run)
        runs[build] = {name: {key: (max if key == "error" else statistics.median)(run[key] for run in several)
                              for key in COUNTERS if key in several[0]} for name, several in found.items()}
    return {build: run for build, run in runs.items() if run}, contexts


class Report:
    def __init__(self, runs, contexts):
        self.runs, self.contexts = runs, contexts
        self.met, self.missed, self.lost = 0, [], []

    def flags(self, build):
        return self.contexts[build]["flags"].removesuffix(" -DNDEBUG")

    def get(self, build, name):
        return self.runs.get(build, {}).get(name)

    def judge(self, met, text):
        self.met += met
        if not met:
            self.missed.append(text)
        return met

    def cell(self, build, name, throughput=True):
        """Ratio, bytes per second and error, with the ratio marked where it misses its target."""
        run = self.get(build, name)
        if run is None:
            return "-"
        ratio, target = f"{run['ratio']:.2f}", targets.at_most(build, name)
        if target and not self.judge(run["ratio"] <= target,
                                     f"`{name}` at `{self.flags(build)}`: {ratio}, target {target:.2f}"):
            ratio = f"**{ratio} missed**"
        gigabytes = f"{run['bytes_per_second'] / 1e9:.3g} GB/s, " if throughput else ""
        return f"{ratio}, {gigabytes}{run['error']:.1e}"

    def against_limit(self, rows, builds, layouts=LAYOUTS):
        """A table of rows (label, name with {layout}), with a column for each build and layout."""
        builds = [b for b in builds if b in self.runs]
        columns = [(b, layout) for b in builds for layout in layouts]
        body = []
        for label, name in rows:
            allowed = {targets.at_most(b, name.format(layout=l)) for b, l in columns}
            body.append([label, " / ".join(f"{t:.2f}" for t in sorted(allowed - {None})) or "-"] +
                        [self.cell(b, name.format(layout=l)) for b, l in columns])
        heads = [f"`{self.flags(b)}`" + (f", {l}" if len(layouts) > 1 else "") for b, l in columns]
        return table(["", "target"] + heads, body)

    def beside_others(self, build, layout):
        present = [(key, title) for key, title in OTHERS
                   if any(self.get(build, f"{key}/{layout}/float/{s}") for s in targets.SHAPES)]
        body = []
        for shape in targets.SHAPES:
            name = f"rotate/{layout}/float/{shape}"
            ours, cells = self.get(build, name), []
            for key, title in present:
                other = self.get(build, f"{key}/{layout}/float/{shape}")
                text = f"{other['ratio']:.2f}, {other['error']:.1e}" if other else "-"
                if other and ours and other["ratio"] < 0.98 * ours["ratio"]:
                    text = f"_{text}_"
                    self.lost.append(f"{layout}, {words(shape)}: {title} {other['ratio']:.2f}, "
                                     f"`Rope::rotate` {ours['ratio']:.2f}")
                cells.append(text)
            mine = f"**{ours['ratio']:.2f}, {ours['error']:.1e}**" if ours else "-"
            body.append([words(shape), mine] + cells)
        return table(["", "`Rope::rotate`, no table"] + [title for _, title in present], body)

    def sinusoidal(self, builds):
        """Against the pass and against the ready table, which it is to beat where it has a target."""
        rows = [(f"{what}, {words(s)}", f"{key}/float/{s}") for s in targets.CODE_SHAPES
                for key, what in [("sinusoidal", "`Sinusoidal::add_to`"), ("add_table", "adding a ready table")]]
        text = self.against_limit(rows, builds, [""])
        for build in builds:
            for shape in targets.CODE_SHAPES:
                ours, other = (self.get(build, f"{k}/float/{shape}") for k in ("sinusoidal", "add_table"))
                if not ours or not other:
                    continue
                line = f"add_to {ours['ratio']:.2f}, the ready table {other['ratio']:.2f}"
                if targets.at_most(build, f"sinusoidal/float/{shape}"):
                    self.judge(ours["ratio"] < other["ratio"],
                               f"sinusoidal, {words(shape)}, at `{self.flags(build)}`, is to be faster than a table: {line}")
                elif other["ratio"] < 0.98 * ours["ratio"]:
                    self.lost.append(f"sinusoidal, {words(shape)}, at `{self.flags(build)}`: {line}")
        return text

    def construct_and_threads(self, build):
        body = []
        for name, run in self.runs[build].items():
            if name.startswith("construct/"):
                time, target = run["real_time"], "-"
                if name == targets.CONSTRUCT_MICROSECONDS[0]:
                    limit = targets.CONSTRUCT_MICROSECONDS[1]
                    target = f"under {limit:.0f} us"
                    self.judge(time < limit, f"`{name}`: {time:.1f} us, target under {limit:.0f}")
                body.append([f"making a Rope, {name[10:]}", target, f"{time:.1f} us, {run['error']:.1e}"])
            if name.startswith("threads:2/"):
                speedup, wanted = run["speedup"], targets.SPEEDUP_OF_TWO_THREADS
                self.judge(speedup >= wanted, f"`{name}`: {speedup:.2f} times one thread, target {wanted}")
                body.append([f"two threads on disjoint rows, {name[10:]}", f"at least {wanted} times one",
                             f"{speedup:.2f} times, {run['error']:.1e}"])
        return table(["", "target", f"`{self.flags(build)}`"], body)


def plot(results, output, report):
    """Writes the data of the bars, and lets gnuplot draw. Returns the names of the plots drawn."""
    build = "o3_native"
    series = [("the pass itself", "pass/float/{}"), ("posenc half", "rotate/half/float/{}"),
              ("posenc interleaved", "rotate/interleaved/float/{}"), ("posenc ready table", "rotate_pairs/half/float/{}"),
              ("Eigen ready table", "eigen_table/half/float/{}"), ("ggml half", "ggml/half/float/{}"),
              ("LibTorch", "torch/half/float/{}"), ("std::sin std::cos", "std_sin_cos/half/float/{}")]
    series = [s for s in series if report.get(build, s[1].format(targets.SHAPES[0]))]
    lines = ["shape " + " ".join(f'"{title}"' for title, _ in series)]
    for shape in targets.SHAPES:
        values = [f"{report.get(build, name.format(shape))['bytes_per_second'] / 1e9:.4g}" for _, name in series]
        tokens, heads, dim = (part.split(":")[1] for part in shape.split("/"))
        lines.append(" ".join([f'"{tokens} x\\n{heads} x {dim}"'] + values))
    (results / "throughput.dat").write_text("\n".join(lines) + "\n")
    for name in ["throughput", "errors"]:
        if (results / f"{name}.dat").exists():
            subprocess.run(["gnuplot", "-e", f"data='{results / name}.dat'; columns={len(series) + 1}; "
                            f"svg='{output / 'plots' / name}.svg'", str(HERE / f"{name}.gp")], check=True)
            yield name


def main():
    results, output, quick = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), len(sys.argv) > 3
    runs, contexts = read(results)
    report, best = Report(runs, contexts), "o3_native"
    native = [b for b in ("o3_native", "o2_native") if b in runs]
    portable = [b for b in ("o2_haswell", "o2", "o2_no_dispatch") if b in runs]
    rotate = {scalar: report.against_limit([(words(s), f"rotate/{{layout}}/{scalar}/{s}") for s in targets.SHAPES], native)
              for scalar in ("float", "double", "float16", "bfloat16")}
    ways = [("a list of positions, " + words(targets.LIST_SHAPE), f"rotate_list/{{layout}}/float/{targets.LIST_SHAPE}")]
    ways += [(f"column-major, {words(s)}", f"rotate_column_major/{{layout}}/float/{s}") for s in targets.PREFILL]
    ways += [(f"`rotate_to`, {words(s)}", f"rotate_to/{{layout}}/float/{s}") for s in targets.SHAPES]
    other_ways = report.against_limit(ways, native)
    builds = report.against_limit([(words(s), f"rotate/{{layout}}/float/{s}") for s in targets.PREFILL], portable)
    others = {layout: report.beside_others(best, layout) for layout in LAYOUTS}
    codes, rest = report.sinusoidal(native), report.construct_and_threads(best)
    plots = list(plot(results, output, report))
    published = table(["measured elsewhere"] + [words(s) for s in targets.PUBLISHED_SHAPES],
                      [[name] + ratios for name, ratios in targets.PUBLISHED])

    parts = {
        "QUICK": "**A quick run, to see that the suite works. Its numbers mean nothing.**\n" if quick else "",
        "MET": str(report.met), "ALL": str(report.met + len(report.missed)),
        "MISSED": bullets(report.missed, "No target is missed."),
        "LOST": bullets(report.lost, "In nothing that was measured here."),
        "FLOAT": rotate["float"], "DOUBLE": rotate["double"], "FLOAT16": rotate["float16"],
        "BFLOAT16": rotate["bfloat16"], "WAYS": other_ways, "BUILDS": builds, "HALF": others["half"],
        "INTERLEAVED": others["interleaved"], "BEST": report.flags(best), "CODES": codes, "REST": rest,
        "PUBLISHED": published, "CONDITIONS": conditions(results, contexts),
        "THROUGHPUT_PLOT": "![bytes per second by shape](plots/throughput.svg)\n" if "throughput" in plots else "",
        "ERROR_PLOT": "![largest error by position](plots/errors.svg)\n" if "errors" in plots else "",
    }
    text = fill((HERE / "report.md.in").read_text(), parts)
    (output / "benchmarks.md").write_text(text)
    print(f"{report.met} of {report.met + len(report.missed)} targets are met")


main()
