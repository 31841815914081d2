"""Fails if a page of the site asks another host for anything, if a relative link leads nowhere, if markup is left in the text, or
if a summary is cut where doxygen took a dot for the end of a sentence:  check.py SITE"""

import os
import re
import sys
from html import unescape
from html.parser import HTMLParser
from urllib.parse import unquote

SITE = sys.argv[1]
CODE = ("pre", "code", "tt", "script", "style")
MARKUP_LEFT = re.compile(r"[@\\](ref|subpage|section|par|verbatim|endverbatim)\b|</?(tt|strong|em|table|td|code)\b|`|\*\*")
# The summary of a member, of a class or file, and of one in a list; and what doxygen leaves of "0 .. n - 1" and "a, b, ..".
SUMMARY = re.compile(r'<td class="mdescRight">(.*?)<br />|<p>(.*?)<a href="#details">More|<td class="desc">(.*?)</td>', re.S)
CUT = re.compile(r"[\s,]\.\s*$")
REMOTE = re.compile(r"^(https?:)?//")


def summaries(html):
    for found in SUMMARY.finditer(html):
        text = unescape(re.sub(r"<[^>]*>", "", next(part for part in found.groups() if part is not None)))
        yield re.sub(r"\s*More\.\.\.$", "", text)


class Page(HTMLParser):
    """What a page names, asks for when it is opened, links to, and says outside of code."""

    def __init__(self, text):
        super().__init__()
        self.names, self.asks, self.links, self.text, self.code = set(), [], [], [], 0
        self.feed(re.sub(r'<div class="fragment">.*?<!-- fragment -->', "", text, flags=re.S))  # code

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.code += tag in CODE
        self.names.update(attrs[key] for key in ("id", "name") if attrs.get(key))
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag == "link" and attrs.get("href"):
            self.asks.append(attrs["href"])
        if tag in ("script", "img", "iframe", "source", "embed", "object", "video"):
            self.asks.extend(attrs[key] for key in ("src", "data", "srcset", "poster") if attrs.get(key))
        if attrs.get("style"):
            self.asks.extend(re.findall(r"url\(['\"]?([^'\")]+)", attrs["style"]))

    def handle_endtag(self, tag):
        self.code -= tag in CODE

    def handle_data(self, data):
        if self.code == 0:
            self.text.append(data)


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    pages, problems, links = {}, [], 0
    for folder, _, names in os.walk(SITE):
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if name.endswith(".html"):
                pages[path] = Page(text_of(path))
                cut = {text for text in summaries(text_of(path)) if CUT.search(text)}
                problems.extend(f"{path} cuts a summary: {text!r}" for text in sorted(cut))
            elif name.endswith(".css"):
                asked = re.findall(r"url\(['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text_of(path))
                problems.extend(f"{path} asks for {a or b}" for a, b in asked if REMOTE.match(a or b))
            elif name.endswith(".js"):
                if re.search(r"polyfill\.io|mathjax", text_of(path), re.I):
                    problems.append(f"{path} mentions polyfill.io or MathJax")
                for link in set(re.findall(r"'\.\./([\w.-]+\.html)", text_of(path))):  # what the search finds
                    if not os.path.exists(os.path.join(folder, "..", link)):
                        problems.append(f"{path} finds {link}: no such file")
            elif name.endswith(".svg") and re.search(r"(href|src)=['\"](https?:)?//", text_of(path)):
                problems.append(f"{path} refers to another host")
    for path, page in pages.items():
        problems.extend(f"{path} asks for {place}" for place in page.asks if REMOTE.match(place))
        text = "".join(page.text)
        left = MARKUP_LEFT.search(text)
        if left:
            problems.append(f"{path} shows markup: {text[max(0, left.start() - 40):left.end() + 40]!r}")
        for link in page.links + page.asks:
            if re.match(r"^[a-z]+:|^//", link, re.I):
                continue
            links += 1
            file, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(file.split("?")[0]))) if file else path
            if not os.path.exists(target):
                problems.append(f"{path} links to {link}: no such file")
            elif anchor and target in pages and unquote(anchor) not in pages[target].names:
                problems.append(f"{path} links to {link}: no such place in the page")
    for problem in problems[:40]:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages, {links} relative links, {len(problems)} problems")
    sys.exit(1 if problems or not pages else 0)


main()
