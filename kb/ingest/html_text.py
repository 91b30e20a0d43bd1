"""HTML of mails → readable text: links kept, scripts and styles dropped. Linear, and never raises on any markup.

Python's parser differs between versions, raises on some declarations and is quadratic on others.
"""

import re
from html import unescape

_TAG = re.compile(r"""<(/?)([A-Za-z][^\s/>]*+)((?:[^>"']|"[^"]{0,2000}"|'[^']{0,2000}')*+)>""")
_ATTRIBUTE = re.compile(
    r"""(?<![A-Za-z-])([A-Za-z-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
)
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
#: Left out with all that they hold.
_UNSEEN = frozenset(("script", "style", "title", "template", "object", "svg", "math", "noframes"))
_BLOCKS_WORDS = """
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header
    html legend main nav section summary table tbody tfoot thead tr
"""
_BLOCKS = frozenset(_BLOCKS_WORDS.split())
_PARAGRAPHS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "ul"])
#: A tag this long is taken to end at the next ``>``, whatever its quotes say.
_LONGEST_TAG = 4000


def html_to_text(markup: str) -> str:
    """Give what a reader would see, a link as ``text <address>``, an image as its alternative text."""
    return _Writer().read(markup)


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.is_fresh = True  #: at the start of a line
        self.links: list[tuple[str, int]] = []
        self.lists: list[int] = []
        self.depth_pre = 0
        self.last_end = -1  #: where the last ``>`` stands: after it there is no markup
        self.last_comment_end = -1

    def read(self, markup: str) -> str:
        at, size = 0, len(markup)
        self.last_end, self.last_comment_end = markup.rfind(">"), markup.rfind("-->")
        while at < size:
            opening = markup.find("<", at)
            if opening < 0:
                opening = size
            self.write(markup[at:opening])
            at = self.markup(markup, opening) if opening < size else size
        while self.links:
            self.close_link()
        lines = (line.rstrip() for line in "".join(self.out).split("\n"))
        return _BLANKS.sub("\n\n", "\n".join(lines)).strip("\n")

    def markup(self, text: str, at: int) -> int:
        """Read what begins with ``<``; give where it ends."""
        if at > self.last_end:
            self.write(text[at:])
            return len(text)
        if text.startswith("<!--", at) and self.last_comment_end > at:
            return _after(text, "-->", at + 2)
        if text.startswith(("<!", "<?"), at):
            return _after(text, ">", at)
        tag = _TAG.match(text, at, at + _LONGEST_TAG)
        if tag is None:
            if at + 1 < len(text) and (text[at + 1].isalpha() or text[at + 1] == "/"):
                end = text.find(">", at)
                if end >= 0:
                    return end + 1
            self.write("<")
            return at + 1
        name = tag.group(2).lower()
        if tag.group(1):
            self.close(name)
        elif name in _UNSEEN and not tag.group(3).endswith("/"):
            ending = re.compile(rf"</{re.escape(name)}\b", re.I).search(text, tag.end())
            return _after(text, ">", ending.end()) if ending else len(text)
        else:
            self.open(name, tag.group(3))
        return tag.end()

    def open(self, name: str, attributes: str) -> None:
        match name:
            case "br":
                self.out.append("\n")
                self.is_fresh = True
            case "hr":
                self.line()
                self.out.append("---\n")
            case "a":
                if self.links:
                    self.close_link()
                self.links.append((_attribute(attributes, "href"), len(self.out)))
            case "img":
                self.write(_attribute(attributes, "alt"))
            case "li":
                self.line()
                mark = "- "
                if self.lists and self.lists[-1]:
                    mark = f"{self.lists[-1]}. "
                    self.lists[-1] += 1
                self.out.append("  " * max(len(self.lists) - 1, 0) + mark)
            case "td" | "th":
                if not self.is_fresh:
                    self.out.append("\t")
            case _:
                self.pause(name)
        if name in ("ol", "ul"):
            self.lists.append(1 if name == "ol" else 0)
        self.depth_pre += name == "pre"

    def close(self, name: str) -> None:
        if name == "a" and self.links:
            self.close_link()
        elif name in ("ol", "ul") and self.lists:
            self.lists.pop()
        elif name == "pre" and self.depth_pre:
            self.depth_pre -= 1
        self.pause(name)

    def pause(self, name: str) -> None:
        if name in _PARAGRAPHS:
            self.line()
            self.out.append("\n")
        elif name in _BLOCKS or name == "li":
            self.line()

    def close_link(self) -> None:
        target, start = self.links.pop()
        label = "".join(self.out[start:]).strip()
        if target.lower().startswith(("http:", "https:", "mailto:", "ftp:", "tel:")):
            bare = target.removeprefix("mailto:").removeprefix("tel:")
            if label.rstrip("/") not in (target.rstrip("/"), bare):
                self.out.append(f" <{target}>" if label else f"<{target}>")
                self.is_fresh = False

    def line(self) -> None:
        if not self.is_fresh:
            self.out.append("\n")
            self.is_fresh = True

    def write(self, text: str) -> None:
        if "&" in text:
            text = unescape(text)
        text = text.replace("\xa0", " ")
        if self.depth_pre:
            self.out.append(text)
            self.is_fresh = text.endswith("\n") if text else self.is_fresh
            return
        text = _SPACE.sub(" ", text)
        if self.is_fresh or (self.out and self.out[-1].endswith(" ")):
            text = text.lstrip(" ")
        if text:
            self.out.append(text)
            self.is_fresh = False


def _after(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    return found + len(end) if found >= 0 else len(text)


def _attribute(attributes: str, name: str) -> str:
    for match in _ATTRIBUTE.finditer(attributes):
        if match.group(1).lower() == name:
            value = match.group(2) or match.group(3) or match.group(4) or ""
            return " ".join(unescape(value).split())
    return ""
