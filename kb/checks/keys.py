"""Keys of kinds that the vocabulary lacks, and keys that do not fit their kind or their bearer."""

import re
from collections.abc import Iterator
from dataclasses import replace

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.diagnostics import Diagnostic, Span
from kb.graph.keys import normalize_key
from kb.model.entity import EntityFile, Key
from kb.model.vocabulary import KeyForm

_PHONES = frozenset(("phone", "tel", "telephone", "mobile", "cell", "fax"))

#: What stands before the @ of a mailbox that several people read; '-', '_' and '.' left out.
_MAILBOX_WORDS = (
    "abuse accounting accounts admin administrator billing bookings careers contact donotreply enquiries"
    " events feedback finance hello help helpdesk hi hr info inquiries invoices it jobs kontakt legal"
    " marketing media news newsletter noreply notifications office orders partnerships postmaster press"
    " privacy recruiting sales security service services shop staff support team webmaster welcome"
)
MAILBOXES = frozenset(_MAILBOX_WORDS.split())

#: Domains whose mail addresses belong to anybody.
_FREE_MAIL_WORDS = (
    "163.com aol.com fastmail.com gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com"
    " hotmail.com icloud.com laposte.net libero.it live.com mac.com mail.com mail.ru me.com msn.com"
    " naver.com orange.fr outlook.com pm.me proton.me protonmail.com qq.com rediffmail.com tutanota.com"
    " web.de yahoo.co.uk yahoo.com yandex.com yandex.ru zoho.com"
)
FREE_MAIL = frozenset(_FREE_MAIL_WORDS.split())


def check_key_kinds(material: Material) -> Iterator[Diagnostic]:
    """Find kinds of key that the vocabulary does not have."""
    kinds = sorted(material.vocabulary.keys)
    for file in material.resolution.files:
        for key in file.keys:
            if key.kind in material.vocabulary.keys or key.kind.lower() in _PHONES:
                continue
            hint = did_you_mean(key.kind.lower(), kinds)
            span = _narrow(material, file.path, key, key.kind)
            yield material.finding(
                "KB209", file.path, span, f'there is no kind of key "{key.kind}"', hint
            )


def check_fit_of_keys(material: Material) -> Iterator[Diagnostic]:
    """Find keys that do not fit: one finding a key, the first reason."""
    for file in material.resolution.files:
        for key in file.keys:
            misfit = _misfit(material, file, key)
            if misfit is not None:
                word, message, hint = misfit
                span = _narrow(material, file.path, key, word)
                yield material.finding("KB210", file.path, span, message, hint)


def _misfit(material: Material, file: EntityFile, key: Key) -> tuple[str, str, str] | None:
    """Say which part of a key is at fault, why, and what to do."""
    if key.kind.lower() in _PHONES:
        return (
            key.kind,
            "a phone number is no key: numbers change hands",
            "keep it in a field of your own",
        )
    word = material.vocabulary.keys.get(key.kind)
    if word is None:
        return None
    if word.pattern is not None and re.fullmatch(word.pattern, key.value) is None:
        message = f'"{key.value}" does not fit the pattern of {key.kind} keys: {word.pattern}'
        return key.value, message, "mend the value, or the pattern in kb.yaml"
    value = normalize_key(key.kind, key.value, material.vocabulary).partition(":")[2]
    type = material.type_of(file.id)
    if word.normalize is KeyForm.EMAIL and type is not None and _is_person(material, type):
        mailbox = value.partition("@")[0]
        if is_mailbox(mailbox):
            message = f"{mailbox}@ is a mailbox that several people read, and no person's key"
            return key.value, message, "give it to an entity of type contact"
    if word.normalize is KeyForm.DOMAIN and value in FREE_MAIL:
        return key.value, f"{value} is anybody's mail domain, and no company's key", "remove it"
    if not material.vocabulary.admits(word.types, type):
        message = f"a key of kind {key.kind} belongs to {' or '.join(word.types)}, not to a {type}"
        return key.kind, message, "mend the type, or move the key"
    return None


def is_mailbox(local_part: str) -> bool:
    """Say whether what stands before an @ names a shared mailbox."""
    return re.sub(r"[-_.]", "", local_part.partition("+")[0].lower()) in MAILBOXES


def _is_person(material: Material, type: str) -> bool:
    return material.vocabulary.is_kind_of(type, "person")


def _narrow(material: Material, path: str, key: Key, word: str) -> Span:
    """Cut a key's place down to a word in it, where the word stands there as it is read."""
    source = material.corpus.sources.get(path)
    if source is None:
        return key.span
    start = source.line_starts[key.span.line - 1]
    line = source.text[start + key.span.column - 1 : start + key.span.end_column - 1]
    at = line.find(word)
    if at < 0:
        return key.span
    column = key.span.column + at
    return replace(key.span, column=column, end_column=column + len(word))
