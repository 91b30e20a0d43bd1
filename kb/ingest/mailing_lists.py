"""What a mail's header says of a mailing list: its addresses, and who wrote where the list put itself in the author's place.

A list's address says where a mail went, and not who somebody is: it is a shared mailbox, as the header itself says. Lists
that rewrite From (for DMARC) name the author elsewhere; who that is is only taken where it is certain.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from kb.graph.contact_rules import LIST_AFFIXES, is_program_mailbox
from kb.ingest.addresses import Mailbox, read_address, read_addresses
from kb.ingest.program_mails import VIA
from kb.model.names import fold

_MAILTO = re.compile(r"<\s*+mailto:([^<>?\s]++)[^<>]*+>", re.I)
#: Some write it without the brackets that RFC 2919 asks for.
_LIST_ID = re.compile(r"<\s*+([^<>\s]++)\s*+>\s*+\Z|\A\s*+([^<>\s]++)\s*+\Z")
#: ezmlm and Google write ``list dev@lists.example; contact dev-owner@lists.example``.
_MAILING_LIST = re.compile(r"\blist\s++([^\s;<>]++)", re.I)
#: ezmlm and qmail write ``mailing list dev@lists.example``, among headers of the same name that name a recipient.
_DELIVERED = re.compile(r"\A\s*+mailing\s++list\s++([^\s;<>]++)", re.I)
#: Headers that hold the list's address, and nothing else. (X-Loop may hold that of somebody whose program forwards mail.)
_NAMING = ("x-beenthere", "x-mailing-list")
#: Headers with addresses that a list's program made of the list's: who answers for it, where one joins and leaves it.
_MANAGING = ("list-owner", "list-help", "list-subscribe", "list-unsubscribe")
#: Headers with the address that a list's program writes from, where what cannot be delivered goes.
_SENDING = ("sender", "errors-to", "return-path")
#: What a list's program adds before the list's own name, and what of all that it adds hardly anybody else does.
_BEFORE, _SURE = "owner-", frozenset(("owner-", "bounces"))
_RECIPIENT = re.compile(r"[+=]")
#: Headers that may name the author whom a list took out of From, the surest first.
_AUTHORS = ("x-original-from", "reply-to")


def find_lists(heads: Mapping[str, Sequence[str]]) -> "Lists":
    """Find the lists that a mail came through, by its headers (all values by names in lower case)."""
    found = _mailto(heads, ("list-post",)) | _addresses(heads, _NAMING)
    for pattern, name in ((_MAILING_LIST, "mailing-list"), (_DELIVERED, "delivered-to")):
        found |= {
            read_address(one) for text in heads.get(name, ()) for one in pattern.findall(text)
        }
    found |= {own for own, affix in map(_part, _mailto(heads, _MANAGING)) if affix}
    sending = _addresses(heads, _SENDING)
    found |= {own for own, affix in map(_part, sending) if affix in _SURE}
    ids = frozenset(
        (id[1] or id[2]).casefold()
        for text in heads.get("list-id", ())
        if (id := _LIST_ID.search(text))
    )
    if any(one.strip().lower() == "list" for one in heads.get("precedence", ())):
        senders = _addresses(heads, ("sender",))
        found |= senders | {own for own, _ in map(_part, senders)}
        found |= {own for own, affix in map(_part, sending) if affix}
    return Lists(frozenset(filter(None, found)), ids, heads)


def _mailto(heads: Mapping[str, Sequence[str]], names: Sequence[str]) -> set[str]:
    """Give the addresses that headers name as ``<mailto:…>``."""
    texts = (text for name in names for text in heads.get(name, ()))
    return {read_address(one) for text in texts for one in _MAILTO.findall(text)}


def _addresses(heads: Mapping[str, Sequence[str]], names: Sequence[str]) -> set[str]:
    """Give the addresses of headers that hold mailboxes."""
    texts = ((name, text) for name in names for text in heads.get(name, ()))
    return {box.address for name, text in texts for box in read_addresses(text, name, [])}


def _part(address: str) -> tuple[str, str]:
    """Part an address into the list's own one and what its program added: ``owner-dev@``, ``dev-bounces+ann=y.example@``."""
    local, _, host = address.partition("@")
    name, affix = local.removeprefix(_BEFORE), _BEFORE
    if name == local:
        local = _RECIPIENT.split(local, maxsplit=1)[0]
        name, _, affix = local.rpartition("-")
        if not name or affix not in LIST_AFFIXES:
            name, affix = local, ""
    return f"{name}@{host}" if name and host else "", affix


class Lists:
    """The addresses of the lists that a mail came through; of most mails none."""

    def __init__(
        self, addresses: frozenset[str], ids: frozenset[str], heads: Mapping[str, Sequence[str]]
    ) -> None:
        self._addresses, self._ids, self._heads = addresses, ids, heads

    def has(self, box: Mailbox) -> bool:
        """Say whether a mailbox is the list's: named so, or ``local@host`` where an id is ``local.host``.

        So is one that its program made: of the list's own (``dev-admin@…``), whatever header named that, or of an author's
        (``ann=x.example@lists.example``, with "via" in its name).
        """
        address = box.address
        if not address or not (self._addresses or self._ids):
            return False
        if "=" in address and VIA.match(box.name):
            return True
        own, affix = _part(address)
        return self._is_own(address) or (bool(affix) and self._is_own(own))

    def _is_own(self, address: str) -> bool:
        return address in self._addresses or address.replace("@", ".") in self._ids

    def author(self, box: Mailbox) -> Mailbox | None:
        """Give who wrote where the list's own mailbox stands in From; ``None`` where it is not certain.

        Certain is one address that is neither the list's nor a program's, under the display name that the list shows.
        """
        via = VIA.match(box.name)
        shown = fold((via[1] if via else box.name).strip("'\" "))
        named = (one for one in self._named if shown in (fold(one.name), one.address))
        return next(named, None) if shown else None

    @cached_property
    def _named(self) -> tuple[Mailbox, ...]:
        """Whom headers name alone besides the list, the surest first."""
        found: list[Mailbox] = []
        for name in _AUTHORS:
            boxes = [
                box for text in self._heads.get(name, ()) for box in read_addresses(text, name, [])
            ]
            others = [
                one
                for one in boxes
                if one.address and not (self.has(one) or is_program_mailbox(one.address))
            ]
            found += others[:1] if len({one.address for one in others}) == 1 else []
        return tuple(found)
