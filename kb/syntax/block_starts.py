"""What can begin a block of Markdown at a character, and what ends an HTML block (CommonMark, "Leaf blocks")."""

import re

_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog"
    "|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe"
    "|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary"
    "|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)"
_HTML_START = re.compile(
    r"(?P<raw><(?:script|pre|style|textarea)(?=[\s>]|\Z))"
    r"|(?P<comment><!--)|(?P<instruction><\?)|(?P<cdata><!\[CDATA\[)|(?P<declaration><![A-Za-z])"
    rf"|(?P<block></?(?:{_TAGS})(?=\s|/?>|\Z))"
    rf"|(?P<tag>(?:<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*\Z)",
    re.I | re.A,
)
_FENCE_START = re.compile(r"(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})")
_RULE_OR_BULLET = re.compile(
    r"(?P<rule>(?:\* *){3,}\Z|(?:- *){3,}\Z|(?:_ *){3,}\Z)|(?P<bullet>[-+*])(?= |\Z)"
)
_NUMBER_START = re.compile(r"(?P<number>[0-9]{1,9}[.)])(?= |\Z)")
_FOOTNOTE_START = re.compile(r"(?P<footnote>\\?\[\^(?P<label>[^\]\s\\]+)\\?\]:)")
#: What can begin at a character, in the order in which CommonMark asks.
STARTS = {
    ">": re.compile(r"(?P<quote>>)"),
    "#": re.compile(r"(?P<atx>#{1,6})(?= |\Z)"),
    "<": _HTML_START,
    **dict.fromkeys("`~", _FENCE_START),
    **dict.fromkeys("-+*_", _RULE_OR_BULLET),
    **dict.fromkeys("0123456789", _NUMBER_START),
    **dict.fromkeys("[\\", _FOOTNOTE_START),
}
#: What ends an HTML block, by what began it; the others end at a blank line.
HTML_ENDS = {
    "raw": re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    "comment": re.compile(r"-->"),
    "instruction": re.compile(r"\?>"),
    "cdata": re.compile(r"\]\]>"),
    "declaration": re.compile(r">"),
}
