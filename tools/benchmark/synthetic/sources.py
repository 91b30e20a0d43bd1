"""The observations of a synthetic knowledge base: when, of what kind, by whom; and their texts, sealed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from . import words
from .cast import Cast, Member
from .times import DAYS, draw_day
from .words import Writer

#: Kinds and their shares, per cent.
SHARES = {
    "email": 40,
    "meeting": 20,
    "chat": 12,
    "document": 8,
    "web": 8,
    "note": 6,
    "calendar": 4,
    "contact": 2,
}
#: Of observations, those in Chinese or Japanese.
EASTERN_SHARE = 0.05
#: Of observations, those that repeat an earlier one.
REPEATED_SHARE = 0.03
#: Sentences of a text besides those that statements rest on.
FEWEST, MOST = 5, 14
#: Statements whose words stand in the text of an observation, at most; more may cite it.
MOST_SAID = 6
TOPICS = (
    "review", "minutes", "offer", "follow-up", "question", "outage", "update", "intro", "handover", "plan"
)  # fmt: skip


@dataclass(slots=True)
class SourceText:
    """An observation to be: what is known before statements cite it, and what they find in it."""

    number: int  #: its place in time
    day: int  #: an index of :data:`times.DAYS`
    id: str
    title: str
    kind: str
    said: list[str] = field(default_factory=list)  #: sentences that statements rest on
    about: list[str] = field(default_factory=list)  #: names of who it speaks of

    @property
    def folders(self) -> tuple[str, str]:
        """The folders under ``observations/`` that its file lies in."""
        return DAYS[self.day][:4], DAYS[self.day][5:7]

    @property
    def path(self) -> str:
        """Where its file lies, relative to the root."""
        return f"observations/{'/'.join(self.folders)}/{self.id}.md"


def make_sources(rng: Random, writer: Writer, count: int) -> list[SourceText]:
    """Make as many observations as wanted, in order of their days."""
    kinds = rng.choices([*SHARES], [*SHARES.values()], k=count)
    taken: set[str] = set()
    sources = []
    for number, day in enumerate(sorted(draw_day(rng) for _ in range(count))):
        topic = TOPICS[int(rng.random() * len(TOPICS))]
        word = writer.word()
        plain = f"{DAYS[day]}-{word}-{topic}"
        id = plain if plain not in taken else f"{plain}-{number}"
        taken.add(id)
        title = f"{word.capitalize()} {topic}"
        sources.append(SourceText(number, day, id, title, kinds[number]))
    return sources


def write_source(
    rng: Random, writer: Writer, source: SourceText, sources: list[SourceText], cast: Cast
) -> str:
    """Write an observation's file, with its seal."""
    body = _write_body(rng, writer, source)
    persons = cast.by_type["person"]
    speaker = persons.draw(rng)
    lines = [
        "---",
        f"id: {source.id}",
        f"kind: {source.kind}",
        f"title: {source.title}",
        f"happened_at: {_moment(rng, source.day)}",
        f"said_by: {_speaker(rng, speaker)}",
        f"participants: [{persons.draw(rng).id}, {persons.draw(rng).id}]",
        f"source: mid:{source.number}.{source.day}@northpeak.example",
    ]
    if source.number and rng.random() < REPEATED_SHARE:
        lines.append(f"derived_from: [{sources[int(rng.random() * source.number)].id}]")
    seal = hashlib.sha256(body.encode()).hexdigest()
    return "\n".join((*lines, f"sha256: {seal}", "---", body))


def _moment(rng: Random, day: int) -> str:
    """Write when it happened: mostly to the minute, at an hour that is the same day in UTC."""
    draw = rng.random()
    if draw < 0.25:
        return DAYS[day]
    hour, minute = 10 + int(rng.random() * 8), int(rng.random() * 60)
    zone = "+09:00" if draw < 0.35 else "+02:00" if draw < 0.8 else "Z"
    return f"{DAYS[day]}T{hour:02d}:{minute:02d}:00{zone}"


def _speaker(rng: Random, speaker: Member) -> str:
    draw = rng.random()
    if draw < 0.6:
        return speaker.id
    return speaker.keys[0] if draw < 0.9 else speaker.name


def _write_body(rng: Random, writer: Writer, source: SourceText) -> str:
    """Write the text: what statements rest on, among other sentences, in paragraphs."""
    forms: Sequence[str] = words.SENTENCES
    if rng.random() < EASTERN_SHARE:
        is_japanese = rng.random() < 0.5
        forms = words.JAPANESE_SENTENCES if is_japanese else words.CHINESE_SENTENCES
    sentences = [
        writer.sentence(source.about, forms)
        for _ in range(FEWEST + int(rng.random() * (MOST - FEWEST + 1)))
    ]
    for said in source.said:
        sentences.insert(int(rng.random() * (len(sentences) + 1)), said)
    paragraphs = [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]
    return "\n" + "\n\n".join(paragraphs) + "\n"
