"""Copies headers, guide and examples into a folder in the form that doxygen reads:  stage.py ROOT STAGE LAB

Headers: `///` comments in the library's own form become doxygen's. An indented line is a formula and stays as it is; Shapes,
Units, Accuracy, Throws and Source become headed paragraphs. The comment at the top of a header becomes its description. What is
in namespace detail is left out, and so is the inline namespace of the instruction set.

Pages: every Markdown file gets a label, and a relative link becomes a link to the label; examples become pages of their own.
Pictures go to STAGE/html. LAB is 1 where the position lab is part of the site, else 0.
"""

import os
import re
import shutil
import sys

ROOT, STAGE, LAB = sys.argv[1], sys.argv[2], sys.argv[3] == "1"
SECTION = re.compile(r"(Shapes, Throws|Shapes|Units|Accuracy|Throws|Source) {2,}(.*)")
# Headers without a public name.
INTERNAL = {"errors", "fixed_point", "hf_keys", "ladder", "phase_rows", "packet", "positions", "kernel"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    path = os.path.join(STAGE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def escaped(text):
    """Text that doxygen shows as it stands."""
    return re.sub(r"([\\@#<>&*|])", r"\\\1", text)


def comment(lines):
    """The lines of a comment, without their slashes, as lines for doxygen."""
    result, formula, section = [], [], False

    def end_formula():
        if formula:
            result.extend(["@verbatim"] + formula + ["@endverbatim"])
            formula.clear()

    for line in lines:
        found = SECTION.match(line)
        if found:
            end_formula()
            section = True
            result.extend(["", f"@par {found.group(1)}", escaped(found.group(2))])
        elif section and line.startswith(" " * 8):
            result.append(escaped(line.strip()))
        elif line.startswith("  "):
            section = False
            formula.append(line[2:])
        else:
            end_formula()
            if section:
                result.append("")
            section = False
            result.append(escaped(line))
    end_formula()
    return result


def header(name):
    lines = read(f"include/posenc/{name}.hpp").split("\n")
    about, result, i, in_detail = [], [], 0, False
    while i < len(lines):
        line, stripped = lines[i], lines[i].strip()
        if stripped == "namespace detail {":
            in_detail = True
        if in_detail:
            in_detail = stripped != "}  // namespace detail"
            i += 1
        elif re.match(r"///(?!<)", stripped):
            indent, block = line[: len(line) - len(line.lstrip())], []
            while i < len(lines) and re.match(r"///(?!<)", lines[i].strip()):
                block.append(re.sub(r"^/// ?", "", lines[i].strip()))
                i += 1
            # Not as slashes again: doxygen would show them in formulas.
            result.extend([indent + "/**"] + comment(block) + [indent + "*/"])
        elif line.startswith("// "):
            block = []
            while i < len(lines) and lines[i].startswith("//"):
                block.append(re.sub(r"^// ?", "", lines[i]))
                i += 1
            if not lines[i].strip() or lines[i].startswith("#"):  # about the header, not about the next declaration
                about.extend(([""] if about else []) + comment(block))
        else:
            of_instruction_set = stripped in ("inline namespace POSENC_ISA {", "}  // namespace POSENC_ISA")
            result.append("" if of_instruction_set else line)
            i += 1
    write(f"posenc/{name}.hpp", "\n".join([f"/** @file posenc/{name}.hpp", ""] + about + ["*/"] + result))


def label(path):
    return "page_" + re.sub(r"\W", "_", os.path.splitext(path)[0]).lower()


def page(path, pages):
    """A Markdown file with its label, and its relative links as links to labels."""
    text, here = read(path), os.path.dirname(path)
    is_list = path in ("docs/README.md", "examples/README.md")
    already, linked = {label(path)}, set()

    def picture(match):
        words, place = " ".join(match.group(1).split()), os.path.normpath(os.path.join(here, match.group(2)))
        if not os.path.exists(os.path.join(ROOT, place)):
            sys.exit(f"{path}: no picture {match.group(2)}")
        target = os.path.relpath(place, "docs")
        copy = os.path.join(STAGE, "html", target)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(os.path.join(ROOT, place), copy)
        return f'<img src="{target}" alt="{words}"/>'

    def link(match):
        words, target = " ".join(match.group(1).split()), match.group(2)
        if target.startswith("#"):
            linked.add(target[1:])
            return f'<a href="#{label(path)}_{target[1:]}">{words}</a>'
        if re.match(r"\w+:", target):
            return f"[{words}]({target})"
        place = os.path.normpath(os.path.join(here, target.split("#")[0]))
        if os.path.isdir(os.path.join(ROOT, place)):
            place = os.path.join(place, "README.md")
        if place == "docs/lab/README.md" and LAB:
            return f'<a href="lab/index.html">{words}</a>'
        if place == "LICENSE":  # the file itself: as a page it would stand in the navigation
            os.makedirs(os.path.join(STAGE, "html"), exist_ok=True)
            shutil.copy(os.path.join(ROOT, place), os.path.join(STAGE, "html", "LICENSE.txt"))
            return f'<a href="LICENSE.txt">{words}</a>'
        if place not in pages:
            sys.exit(f"{path}: link to {target}, which the site does not have")
        if is_list and place not in ("docs/README.md", "examples/README.md") and place not in already:
            already.add(place)
            return f'@subpage {label(place)} "{words}"'
        return f"[{words}](@ref {label(place)})"

    def heading(match):
        words = match.group(1).replace("`", "")  # it would show them
        slug = re.sub(r"[^\w -]", "", words.lstrip("# ").lower()).replace(" ", "-")  # as GitHub and its kin make it
        if slug not in linked:
            return words
        linked.remove(slug)
        return f"{words} {{#{label(path)}_{slug}}}"

    def code_span(match):  # doxygen takes an apostrophe after one backtick for a closing quote
        return f"`{match.group(0)}`" if "'" in match.group(0) else match.group(0)

    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"`[^`]+`", code_span, parts[i])
        parts[i] = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", picture, parts[i])
        parts[i] = re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, parts[i])
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"^(#+ .*)$", heading, parts[i], flags=re.M)
    if linked:
        sys.exit(f"{path}: links to headings that it does not have: {', '.join(linked)}")
    for i in range(1, len(parts), 2):
        first, rest = parts[i].split("\n", 1)
        parts[i] = ("```{.cpp}\n" if first == "```cpp" else "```{.unparsed}\n") + rest
    text = "".join(parts)
    if path != "README.md":
        text = re.sub(r"\A# (.*)", lambda m: f"# {m.group(1)} {{#{label(path)}}}", text, count=1)
    write(label(path) + ".md", text)


def source_page(path):
    """A file that is not Markdown, shown as it is; an example with what it prints."""
    name = os.path.basename(path)
    text = f"# {name} {{#{label(path)}}}\n\n```{{{'.cpp' if path.endswith('.cpp') else '.unparsed'}}}\n{read(path)}```\n"
    expected = os.path.splitext(path)[0] + ".expected"
    if os.path.exists(os.path.join(ROOT, expected)):
        text += f"\nIt prints\n\n```{{.unparsed}}\n{read(expected)}```\n"
    write(label(path) + ".md", text)


def names_in(folder, end):
    return sorted(f"{folder}/{name}" for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith(end))


def main():
    for path in names_in("include/posenc", ".hpp"):
        name = os.path.basename(path)[: -len(".hpp")]
        if name not in INTERNAL:
            header(name)

    benchmarks, examples = "docs/benchmarks.md", names_in("examples", ".cpp")
    pages = ["README.md"] + names_in("docs", ".md") + ["examples/README.md", "docs/site/README.md"]
    if os.path.exists(os.path.join(ROOT, "docs/pictures/README.md")):
        pages.append("docs/pictures/README.md")
    if not LAB:
        pages.append("docs/lab/README.md")
    known = set(pages) | set(examples) | {"LICENSE", benchmarks}
    for path in pages:
        page(path, known)
    for path in examples:
        source_page(path)
    if benchmarks not in pages:
        write(label(benchmarks) + ".md", f"# Benchmarks {{#{label(benchmarks)}}}\n\n"
              "They have not been measured for this site. `sh bench/report.sh` does it and writes docs/benchmarks.md.\n")


main()
