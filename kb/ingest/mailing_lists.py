"""What a mail's header says of a mailing list: its addresses, and who wrote where the list put itself in the author's place.

A list's address says where a mail went, and not who somebody is: it is a shared mailbox, as the header itself says. Lists
that rewrite From (for DMARC) name the author elsewhere; who that is is only taken where it is certain.
"""

import re
from collections.abc import Mapping

from kb.ingest.addresses import Mailbox, read_address, read_addresses
from kb.model.names import fold

_MAILTO = re.compile(r"<\s*mailto:([^<>?\s]+)[^<>]*>", re.I)
_LIST_ID = re.compile(r"<\s*([^<>\s]+)\s*>\s*\Z")
#: ezmlm and Google write ``list dev@lists.example; contact dev-owner@lists.example``.
_MAILING_LIST = re.compile(r"\blist\s+([^\s;<>]+)", re.I)
#: Headers that hold the list's address, and nothing else.
_NAMING = ("x-beenthere", "x-mailing-list")
#: What a list's program adds to the list's own name.
_AFFIX = re.compile(r"(?:owner-)?(.+?)(?:-(?:bounces|owner|request|admin))?(?:\+[^@]*)?@(.+)")
#: What a list's program makes of a display name: ``Ann via Dev List``, ``'Ann' via Dev List``.
_VIA = re.compile(r"\A(.*?)\s+(?:via|über|par|por|через)\s+\S.*\Z", re.I | re.S)
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
            plain = _AFFIX.fullmatch(box.address)
            found |= {box.address, f"{plain[1]}@{plain[2]}" if plain else ""}
    id = _LIST_ID.search(heads.get("list-id", ""))
    return Lists(frozenset(filter(None, found)), id[1].casefold() if id else "")


class Lists:
    """The addresses of the list that a mail came through; of most mails none."""

    def __init__(self, addresses: frozenset[str], id: str) -> None:
        self._addresses, self._id = addresses, id

    def has(self, box: Mailbox) -> bool:
        """Say whether a mailbox is the list's: named so, or ``local@host`` where its id is ``local.host``.

        So is one that a list made of an author's: ``ann=x.example@lists.example``, with "via" in its name.
        """
        address = box.address
        if not address or not (self._addresses or self._id):
            return False
        is_made = "=" in address and _VIA.match(box.name) is not None
        return is_made or address in self._addresses or address.replace("@", ".") == self._id

    def author(self, box: Mailbox, heads: Mapping[str, str]) -> Mailbox | None:
        """Give who wrote where the list's own mailbox stands in From; ``None`` where it is not certain.

        Certain is one address that is not the list's, under the display name that the list shows.
        """
        via = _VIA.match(box.name)
        shown = fold((via[1] if via else box.name).strip("'\" "))
        for name in _AUTHORS:
            others = [
                one
                for one in read_addresses(heads.get(name, ""), name, [])
                if one.address and not self.has(one)
            ]
            if len({one.address for one in others}) == 1 and shown:
                (other, *_) = others
                if shown in (fold(other.name), other.address):
                    return other
        return None
