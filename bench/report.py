"""Writes the report and its plots from the results of the runs:  python3 report.py RESULTS OUTPUT [quick]
RESULTS holds a folder for each build with the JSON of Google Benchmark; bench/report.sh makes it and calls this."""

import json
import pathlib
import statistics
import subprocess
import sys

import targets
from report_text import apart, bullets, conditions, fill, table, words

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
        self.met, self.all, self.groups, self.lost = 0, 0, {}, []

    def flags(self, build):
        return self.contexts[build]["flags"].removesuffix(" -DNDEBUG")

    def get(self, build, name):
        return self.runs.get(build, {}).get(name)

    def judge(self, met, work, flags, target, by, text):
        """Counts a target of a group: work, flags and target. Of what misses it by most, the text is shown."""
        self.met += met
        self.all += 1
        group = self.groups.setdefault((work, flags, target), {"count": 0, "missed": []})
        group["count"] += 1
        if not met:
            group["missed"].append((by, text))
        return met

    def missed(self):
        body = [[work, f"`{flags}`", target, f"{len(group['missed'])} of {group['count']}", max(group["missed"])[1]]
                for (work, flags, target), group in self.groups.items() if group["missed"]]
        return table(["work", "build", "target", "missed", "farthest off"], body) if body else "No target is missed.\n"

    def cell(self, build, name, throughput=True):
        """Ratio, bytes per second and error, with the ratio marked where it misses its target."""
        run = self.get(build, name)
        if run is None:
            return "-"
        target = targets.at_most(build, name)
        ratio = apart(run["ratio"], target) if target else f"{run['ratio']:.2f}"
        if target:
            parts, shape = name.split("/tokens:")[0].split("/"), "tokens:" + name.split("/tokens:")[1]
            layout = "".join(f"{part}, " for part in parts[1:-1])
            if not self.judge(run["ratio"] <= target, f"`{parts[0]}`, {parts[-1]}", self.flags(build), f"{target:.2f}",
                              run["ratio"] / target, f"{ratio}: {layout}{words(shape)}"):
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
                line = f"add_to {apart(ours['ratio'], other['ratio'])}, the ready table {other['ratio']:.2f}"
                if targets.at_most(build, f"sinusoidal/float/{shape}"):
                    self.judge(ours["ratio"] < other["ratio"], "`sinusoidal`, float", self.flags(build),
                               "less than a ready table", ours["ratio"] / other["ratio"], f"{line}: {words(shape)}")
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
                    self.judge(time < limit, "making a Rope", self.flags(build), target, time, f"{apart(time, limit)} us")
                body.append([f"making a Rope, {name[10:]}", target, f"{time:.1f} us, {run['error']:.1e}"])
            if name.startswith("threads:2_pass/"):
                body.append(["two threads on disjoint rows, a plain pass", "-", f"{run['speedup']:.2f} times"])
            if name.startswith("threads:2/"):
                speedup, wanted = run["speedup"], targets.SPEEDUP_OF_TWO_THREADS
                self.judge(speedup >= wanted, "two threads", self.flags(build), f"{wanted} times one", -speedup,
                           f"{apart(speedup, wanted)} times: {name[10:]}")
                body.append([f"two threads on disjoint rows, {name[10:]}", f"at least {wanted} times one",
                             f"{apart(speedup, wanted)} times, {run['error']:.1e}"])
        return table(["", "target", f"`{self.flags(build)}`"], body)


def plot(results, output, report):
    """Writes the data of the points, and lets gnuplot draw. Returns the names of the plots drawn."""
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


def errors_in_words(results):
    """What the plot of errors shows, with its own figure for angles in float at position 131072."""
    if not (results / "errors.dat").exists():
        return "They were not measured: MPFR is not installed here.\n"
    rows = [line.split() for line in (results / "errors.dat").read_text().splitlines() if not line.startswith("#")]
    off = next(float(row[1]) for row in rows if row[0] == "131072")
    return (f"""The largest error of a sine or cosine over the 64 pairs of a head of 128, at eight positions from each power of two to
the next. An angle that is formed in float, and its frequency too, is off by up to {off:.1e} from position 131072 to 262143,
and says nothing from 16777217 on, where float no longer tells neighbours apart.
""")


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
        "MET": str(report.met), "ALL": str(report.all), "MISSED": report.missed(), "ERRORS": errors_in_words(results),
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
    print(f"{report.met} of {report.all} targets are met")


main()
