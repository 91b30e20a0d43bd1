"""What a mail's header says of a mailing list: its addresses, and who wrote where the list put itself in the author's place.

A list's address says where a mail went, and not who somebody is: it is a shared mailbox, as the header itself says. Lists
that rewrite From (for DMARC) name the author elsewhere; who that is is only taken where it is certain.
"""

import re
from collections.abc import Mapping
from functools import cached_property

from kb.ingest.addresses import Mailbox, read_address, read_addresses
from kb.model.names import fold

_MAILTO = re.compile(r"<\s*+mailto:([^<>?\s]++)[^<>]*+>", re.I)
#: Some write it without the brackets that RFC 2919 asks for.
_LIST_ID = re.compile(r"<\s*+([^<>\s]++)\s*+>\s*+\Z|\A\s*+([^<>\s]++)\s*+\Z")
#: ezmlm and Google write ``list dev@lists.example; contact dev-owner@lists.example``.
_MAILING_LIST = re.compile(r"\blist\s++([^\s;<>]++)", re.I)
#: Headers that hold the list's address, and nothing else.
_NAMING = ("x-beenthere", "x-mailing-list")
#: What a list's program adds behind the list's own name.
_AFFIX = re.compile(r"(?<=.)-(?:bounces|owner|request|admin)\Z")
#: What a list's program makes of a display name, which is one line: ``Ann via Dev List``, ``'Ann' via Dev List``.
_VIA = re.compile(r"\A(.*?) (?:via|über|par|por|через) ", re.I)
#: Headers that may name the author whom a list took out of From, the surest first.
_AUTHORS = ("x-original-from", "reply-to")


def find_lists(heads: Mapping[str, str]) -> "Lists":
    """Find the list that a mail came through, by its headers (names in lower case)."""
    found = {read_address(one) for one in _MAILTO.findall(heads.get("list-post", ""))}
    for name in _NAMING:
        found |= {box.address for box in read_addresses(heads.get(name, ""), name, [])}
    found |= {read_address(one) for one in _MAILING_LIST.findall(heads.get("mailing-list", ""))}
    if heads.get("precedence", "").strip().lower() == "list":
        for box in read_addresses(heads.get("sender", ""), "Sender", []):
            found |= {box.address, _without_affixes(box.address)}
    id = _LIST_ID.search(heads.get("list-id", ""))
    name = (id[1] or id[2]).casefold() if id else ""
    return Lists(frozenset(filter(None, found)), name, heads)


def _without_affixes(address: str) -> str:
    """Give the list's own address of one that its program writes from: ``owner-dev@``, ``dev-bounces+ann=y.example@``."""
    local, _, host = address.partition("@")
    name = local.removeprefix("owner-") or local
    name = name.partition("+")[0] or name
    return f"{_AFFIX.sub('', name)}@{host}" if host else ""


class Lists:
    """The addresses of the list that a mail came through; of most mails none."""

    def __init__(self, addresses: frozenset[str], id: str, heads: Mapping[str, str]) -> None:
        self._addresses, self._id, self._heads = addresses, id, heads

    def has(self, box: Mailbox) -> bool:
        """Say whether a mailbox is the list's: named so, or ``local@host`` where its id is ``local.host``.

        So is one that a list made of an author's: ``ann=x.example@lists.example``, with "via" in its name.
        """
        address = box.address
        if not address or not (self._addresses or self._id):
            return False
        is_made = "=" in address and _VIA.match(box.name) is not None
        return is_made or address in self._addresses or address.replace("@", ".") == self._id

    def author(self, box: Mailbox) -> Mailbox | None:
        """Give who wrote where the list's own mailbox stands in From; ``None`` where it is not certain.

        Certain is one address that is not the list's, under the display name that the list shows.
        """
        via = _VIA.match(box.name)
        shown = fold((via[1] if via else box.name).strip("'\" "))
        named = (one for one in self._named if shown in (fold(one.name), one.address))
        return next(named, None) if shown else None

    @cached_property
    def _named(self) -> tuple[Mailbox, ...]:
        """Whom headers name alone besides the list, the surest first."""
        found: list[Mailbox] = []
        for name in _AUTHORS:
            boxes = read_addresses(self._heads.get(name, ""), name, [])
            others = [one for one in boxes if one.address and not self.has(one)]
            found += others[:1] if len({one.address for one in others}) == 1 else []
        return tuple(found)
