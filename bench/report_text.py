"""How the report says things: shapes, tables, lists, the conditions of the run."""

import pathlib
import platform


def words(shape):
    """tokens:512/heads:32/dim:128 as a reader says it."""
    parts = [part.split(":") for part in shape.split("/")]
    return " x ".join(f"{number} {unit if number != '1' else unit.rstrip('s')}" if unit != "dim" else number
                      for unit, number in parts)


def apart(value, other):
    """A ratio to two decimals, or to as many as it takes to see on which side of the other it lies."""
    return next((f"{value:.{digits}f}" for digits in (2, 3, 4) if f"{value:.{digits}f}" != f"{other:.{digits}f}"),
                f"{value:.2f}")


def table(head, body):
    lines = [head, ["---"] * len(head)] + body
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def bullets(lines, none):
    return "\n".join(f"* {line}" for line in lines) + "\n" if lines else none + "\n"


def conditions(results, contexts):
    context = next(iter(contexts.values()))
    model = platform.processor() or platform.machine()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = next((line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines()
                      if line.startswith("model name")), model)
    caches = "".join(f"L{c['level']} {c['type'].lower()} {c['size'] // 1024} KiB, " for c in context["caches"])
    load = f"{context['load_avg'][0]:.1f}" if context["load_avg"] else "unknown"
    lines = [f"Processor: {model}, {context['num_cpus']} processors at {context['mhz_per_cpu']} MHz as the system says; "
             f"{caches}{context['simd']} in the native builds.",
             f"Compiler: {context['compiler']}, " + "".join(f"{other}, " for other in sorted(context["others"])) +
             f"Eigen {context['eigen']}, {platform.system()} {platform.machine()}.",
             "Flags: " + "; ".join(f"`{c['flags']}`" for c in contexts.values()) + ".",
             f"Run: {context['date'][:10]}, load average at the start {load}."]
    if (results / "commit.txt").exists():
        lines[-1] += f" posenc at commit {(results / 'commit.txt').read_text().strip()}."
    if (results / "skipped.txt").exists():
        lines += ["Skipped: " + line + "." for line in (results / "skipped.txt").read_text().splitlines()]
    return bullets(lines, "")


def fill(template, parts):
    """Puts each part where @ITS_NAME@ stands. An empty one alone in its paragraph takes the paragraph away."""
    for name, text in parts.items():
        for mark in (f"@{name}@\n\n", f"@{name}@"):
            template = template.replace(mark, text.rstrip("\n") + mark[len(name) + 2:] if text else "")
    return template
