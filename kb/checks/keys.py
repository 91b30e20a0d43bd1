"""Keys of kinds that the vocabulary lacks, and keys that do not fit their kind or their bearer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.diagnostics import Diagnostic, Span
from kb.graph.contact_rules import is_free_mail, is_phone_kind, is_shared_mailbox
from kb.graph.keys import find_invisible, find_mixture, normalize_key, tidy_key, why_no_orcid
from kb.model.entity import Key
from kb.model.vocabulary import KeyForm, Vocabulary

#: What an address and a domain are at the least; what mail is delivered to is wider than any rule.
_ADDRESS, _DOMAIN = re.compile(r'(?:"[^"]*"|[^\s@]+)@[^\s@]+'), re.compile(r"[^\s@/:]+")
#: The longest that a pattern may take for one key.
_MATCH_SECONDS = 0.25


def check_key_kinds(material: Material) -> Iterator[Diagnostic]:
    """Find kinds of key that the vocabulary does not have."""
    kinds = sorted(material.vocabulary.keys)
    for file in material.resolution.files:
        for key in file.keys:
            if key.kind in material.vocabulary.keys or is_phone_kind(key.kind):
                continue
            hint = did_you_mean(key.kind.lower(), kinds)
            span = _narrow(material, file.path, key, key.kind)
            yield material.finding(
                "KB209", file.path, span, f'there is no kind of key "{key.kind}"', hint
            )


def check_fit_of_keys(material: Material) -> Iterator[Diagnostic]:
    """Find keys that do not fit: one finding a key, the first reason."""
    patterns = Patterns()
    for file in material.resolution.files:
        for key in file.keys:
            misfit = find_misfit(key, material.type_of(file.id), material.vocabulary, patterns)
            misfit = misfit or _find_look_alike(key, material.vocabulary)
            if misfit is not None:
                span = _narrow(material, file.path, key, misfit.word)
                yield material.finding(misfit.code, file.path, span, misfit.message, misfit.hint)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Which part of a key is at fault, why, and what to do."""

    word: str
    message: str
    hint: str
    code: str = "KB210"


class Patterns:
    """The patterns of ``kb.yaml``, each tried on keys until it gives no answer, which is a fault of its own."""

    def __init__(self) -> None:
        self.stopped: set[str] = set()

    def misfit(self, key: Key, pattern: str) -> Misfit | None:
        """Try a pattern on a key; one that was stopped before fits all."""
        import regex  # 20 ms, and only kinds of key with a pattern need it

        if pattern in self.stopped:
            return None
        try:
            if regex.fullmatch(pattern, key.value, timeout=_MATCH_SECONDS) is not None:
                return None
        except TimeoutError:
            what = "takes too long for this key"
        except regex.error as error:  # whatever "re", which kb.yaml is checked with, makes of it
            what = f"cannot be matched: {error}"
        else:
            message = f'"{key.value}" does not fit the pattern of {key.kind} keys: {pattern}'
            return Misfit(key.value, message, "mend the value, or the pattern in kb.yaml")
        self.stopped.add(pattern)
        message = f"the pattern of {key.kind} keys {what}: {pattern}"
        return Misfit(
            key.value, message, "mend it in kb.yaml; it is tried on no other key", "KB904"
        )


def find_misfit(
    key: Key, type: str | None, vocabulary: Vocabulary, patterns: Patterns
) -> Misfit | None:
    """Say why a key does not fit its kind or a bearer of a type (as the vocabulary has it); the first reason."""
    if is_phone_kind(key.kind):
        message = "a phone number is no key: numbers change hands"
        return Misfit(key.kind, message, "keep it in a field of your own")
    if invisible := find_invisible(key.text):
        message = f"{key.text!r} holds {invisible}, which nobody sees"
        return Misfit(key.value, message, "write the key anew, without it")
    word = vocabulary.keys.get(key.kind)
    if word is None:
        return None
    if word.pattern is not None and (misfit := patterns.misfit(key, word.pattern)) is not None:
        return misfit
    tidy = tidy_key(key.kind, key.value, vocabulary)
    if tidy.is_changed:
        message = f'"{key.value}" is more than the key'
        return Misfit(key.value, message, f"write {tidy.kind}:{tidy.value}")
    value = normalize_key(key.kind, key.value, vocabulary).partition(":")[2]
    if word.normalize is KeyForm.EMAIL and not _ADDRESS.fullmatch(value):
        message = f'"{key.value}" is no mail address'
        return Misfit(key.value, message, "write it as name@northpeak.example")
    if word.normalize is KeyForm.DOMAIN and not _DOMAIN.fullmatch(value):
        message = f'"{key.value}" is no domain'
        return Misfit(key.value, message, "write it bare, as northpeak.example")
    if (
        word.normalize is KeyForm.EMAIL
        and type is not None
        and vocabulary.is_kind_of(type, "person")
        and is_shared_mailbox(value)
    ):
        mailbox = value.partition("@")[0]
        message = f"{mailbox}@ is a mailbox that several people read, and no person's key"
        return Misfit(key.value, message, "give it to an entity of type contact")
    if word.normalize is KeyForm.DOMAIN and is_free_mail(value):
        message = f"{value} is anybody's mail domain, and no company's key"
        return Misfit(key.value, message, "remove it")
    if not vocabulary.admits(word.types, type):
        message = f"a key of kind {key.kind} belongs to {' or '.join(word.types)}, not to a {type}"
        return Misfit(key.kind, message, "mend the type, or move the key")
    if key.kind == "orcid" and (why := why_no_orcid(key.value)):
        message = f'"{key.value}" is no ORCID: {why}'
        return Misfit(key.value, message, "copy it from orcid.org, as 0000-0002-1825-0097")
    if word.normalize is KeyForm.HANDLE and "://" in value:
        message = f'"{key.value}" is a page, and no {key.kind} handle'
        return Misfit(key.value, message, f"write the bare handle, or url:{key.value}")
    return None


def _find_look_alike(key: Key, vocabulary: Vocabulary) -> Misfit | None:
    """Find a letter of another script in an address: allowed, and mostly not what was meant."""
    word = vocabulary.keys.get(key.kind)
    mixture = find_mixture(word.normalize, key.value) if word else ""
    if not mixture:
        return None
    message = f"{mixture}: the key looks like another one"
    return Misfit(key.value, message, "type it anew, if it was not meant so")


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
    return Span(key.span.line, column, column + len(word))
