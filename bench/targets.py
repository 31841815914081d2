"""What posenc sets itself as targets, and what others have published: the only numbers of the report that are not measured
by the run that writes it."""

import re

PREFILL = ["tokens:512/heads:32/dim:128", "tokens:2048/heads:32/dim:128", "tokens:4096/heads:8/dim:128",
           "tokens:1024/heads:12/dim:64"]
SHAPES = ["tokens:1/heads:32/dim:128", "tokens:1/heads:8/dim:128"] + PREFILL + ["tokens:4096/heads:1/dim:64"]
LIST_SHAPE = "tokens:512/heads:32/dim:128"
CODE_SHAPES = ["tokens:1/dim:1024", "tokens:2048/dim:1024", "tokens:512/dim:4096"]

# Ratios to the limit: the first line that fits a benchmark's whole name holds. In builds without the processor's own
# instructions the first rows are given more.
_prefill = "(" + "|".join(PREFILL) + ")"
_AT_MOST = [
    (r"rotate/\w+/float/tokens:1/heads:32/dim:128", 2.0),
    (r"rotate/\w+/float/tokens:1/heads:8/dim:128", 3.0),
    (r"rotate/\w+/float/tokens:4096/heads:1/dim:64", 1.6),
    (r"rotate/\w+/float/" + _prefill, 1.10),
    (r"rotate/\w+/(double|float16|bfloat16)/" + _prefill, 1.15),
    (r"rotate_list/.*", 1.3),
    (r"rotate_column_major/.*", 1.25),
    (r"rotate_to/\w+/float/" + _prefill, 1.10),
    (r"sinusoidal/float/tokens:2048/dim:1024", 1.30),
]
_OF_BUILD = {"o2_haswell": 1.15, "o2": 1.25, "o2_no_dispatch": 1.25}

CONSTRUCT_MICROSECONDS = ("construct/float/dim:128", 100.0)
SPEEDUP_OF_TWO_THREADS = 1.8


def at_most(build, name):
    """The largest ratio that meets the target of a benchmark in a build, or None."""
    for pattern, ratio in _AT_MOST:
        if re.fullmatch(pattern, name):
            return _OF_BUILD.get(build, ratio)
    return None


# Published implementations, measured elsewhere on an AVX-512 machine, one thread, float, as ratios to the same in-place pass.
# The report does not measure them, and they are not to be checked from here.
PUBLISHED_SHAPES = ["tokens:1/heads:32/dim:128"] + [PREFILL[0], PREFILL[1], PREFILL[3], PREFILL[2]]
PUBLISHED = [
    ("vLLM CPU, half, in place, ready table", ["6.4", "1.06", "1.04", "1.16", "1.14"]),
    ("ncnn, ready table, out of place", ["2.9", "2.7", "3.8", "2.6", "3.4"]),
    ("ONNX Runtime 1.30, half", ["23", "2.8", "3.3", "2.6", "2.8"]),
    ("gemma.cpp, half, no table", ["10.5", "1.9", "1.7", "2.1", "1.7"]),
    ("ggml, interleaved", ["10", "1.8", "1.8", "3.6", "4.4"]),
    ("ggml, half", ["29", "4.6", "4.9", "6.1", "7.2"]),
    ("ggml, interleaved, 16-bit", ["50", "8.1", "7.3", "10", "10.2"]),
    ("PyTorch, usual formulation", ["28", "39", "38", "12", "47"]),
]
