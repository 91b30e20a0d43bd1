"""Which records are new: the same source again adds nothing, and another text under a known id is never dropped."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kb.ingest.records import Problem, SourceRecord
from kb.syntax.observation_file import seal_of


def kept_text(record: SourceRecord) -> str:
    """Give the text of the observation that keeps a record: one without words says its title."""
    text = record.text if record.text.strip() else f"({record.title})"
    return text if text.endswith("\n") else f"{text}\n"


def seal_of_record(record: SourceRecord) -> str:
    """Give the seal of the observation that keeps a record: of its text after the blank line of ``format_observation``."""
    return seal_of(f"\n{kept_text(record)}")


def source_apart(source: str, seal: str) -> str:
    """Give the source of a record under whose own one another text is kept."""
    return f"{source}#{seal[:16]}"


def iter_new(
    items: Iterable[SourceRecord | Problem], known: Mapping[str, str]
) -> Iterator[SourceRecord | Problem]:
    """Yield what is not there yet; problems pass through.

    ``known`` gives for each ``source`` that observations have the seal of its body (``ObservationFile.digest``). A record with a known source and the
    same text is left out. One with another text (a message id used twice, an event that was moved) gets a source of its
    own, ``<source>#<first 16 digits of its seal>``, and a warning; so the order in which files are read does not matter
    to what is kept.
    """
    seen = dict(known)
    for item in items:
        if isinstance(item, Problem):
            yield item
            continue
        seal = seal_of_record(item)
        if item.source not in seen:
            seen[item.source] = seal
            yield item
            continue
        if seen[item.source] == seal:
            continue
        apart = source_apart(item.source, seal)
        if apart not in seen:
            seen[apart] = seal
            warning = f"{item.source} is there with another text: both are kept"
            yield replace(item, source=apart, warnings=(*item.warnings, warning))
