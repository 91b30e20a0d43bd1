"""For each diagnostic code the smallest knowledge base that provokes it, and nothing else."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb.syntax.observation_file import seal_of
from tests.conftest import entity, git, observation


@dataclass(frozen=True)
class Provocation:
    """A knowledge base's files, and what files alone cannot say."""

    files: Mapping[str, str | bytes]
    config: str = "kb: 1\nname: Test\n"
    set_up: Callable[[Path], None] | None = None  #: run on the root when the files are written


ADA = "entities/person/ada.md"
BOB = "entities/person/bob.md"
NORTHPEAK = "entities/company/northpeak.md"
OFFSITE = "observations/2026/01/2026-01-15-offsite.md"
CITE = "[^2026-01-15-offsite]"


def sealed(id: str, body: str = "Said.\n", **fields: str) -> str:
    """Give an observation file's text with its seal."""
    return observation(id, body, **{"said_by": "Jordan Lee", **fields, "sha256": seal_of(body)})


def sealed_silent(id: str) -> str:
    """Give a sealed observation that nobody said."""
    return observation(id, "Noise.\n", sha256=seal_of("Noise.\n"))


def relations(*lines: str) -> tuple[str, ...]:
    """Give the lines of a section Relations."""
    return ("## Relations", "", *lines)


def facts(*lines: str) -> tuple[str, ...]:
    """Give the lines of a section Facts."""
    return ("## Facts", "", *lines)


def ada(*lines: str, **fields: str) -> dict[str, str | bytes]:
    """Give Ada with some lines, Bob and Northpeak to relate her to, and an observation to cite."""
    return {
        ADA: entity("ada", *lines, **{"name": "Ada Lovelace", **fields}),
        BOB: entity("bob", name="Bob"),
        NORTHPEAK: entity("northpeak", type="company", name="Northpeak"),
        OFFSITE: sealed("2026-01-15-offsite", "Dana now heads partnerships.\n"),
    }


def raw(text: str | bytes) -> Provocation:
    """Give a knowledge base of one file under entities/, as it is."""
    return Provocation({ADA: text})


def _make_pipe(root: Path) -> None:
    (root / "entities/person").mkdir(parents=True)
    os.mkfifo(root / ADA)


def _make_link(root: Path) -> None:
    (root / "entities/person/ada.md").symlink_to("/etc/passwd")


def _reseal_after_commit(root: Path) -> None:
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "offsite")
    (root / OFFSITE).write_text(sealed("2026-01-15-offsite", "Dana now heads sales.\n"), "utf-8")


PROVOCATIONS: dict[str, Provocation] = {
    "KB101": raw("---\nid: ada\n"),
    "KB102": raw("Ada is a person.\n"),
    "KB103": raw("---\nid: ada\nname: Ada: a life\n---\n"),
    "KB104": raw("---\nid: ada\nname: Ada\nname: Ada Lovelace\n---\n"),
    "KB105": raw("---\nid: ada\naliases: &names [Countess]\n---\n"),
    "KB106": raw("---\nid: ada\nname: !!str Ada\n---\n"),
    "KB107": raw("---\n- ada\n---\n"),
    "KB108": raw("---\nid: ada\nletters: " + "x" * 66_000 + "\n---\n"),
    "KB109": raw("---\nid: ada\ndeep: " + "[" * 25 + "]" * 25 + "\n---\n"),
    "KB110": raw("---\nid: ada\n---\n---\ntype: person\n---\n"),
    "KB111": raw(b"\xef\xbb\xbf---\nid: ada\n---\n"),
    "KB112": raw("---\r\nid: ada\n---\r\n"),
    "KB113": raw(b"---\nid: ada\n---\n\nCaf\xe9\n"),
    "KB114": raw(b"---\nid: ada\n---\n" + b"x" * (4 << 20)),
    "KB115": raw(
        "---\nid: ada\n---\n\n<<<<<<< HEAD\nA mathematician.\n=======\nA poet.\n>>>>>>> theirs\n"
    ),
    "KB116": raw("---\nid: ada\n...\n"),
    "KB117": Provocation({}, set_up=_make_pipe),
    "KB120": Provocation(ada(*facts("- Head of Partnerships"))),
    "KB121": Provocation(ada(*facts("- title: Head of Partnerships"))),
    "KB122": Provocation(ada(*facts("- [ ] title:: Head of Partnerships"))),
    "KB123": Provocation(ada(*relations(f"- related-to:: Bob {CITE}"))),
    "KB124": Provocation(
        ada(
            *relations(f"- related-to:: [Bob](bob.md), [Northpeak](../company/northpeak.md) {CITE}")
        )
    ),
    "KB125": Provocation(ada(*facts(f"- title:: Head {CITE} of Partnerships {CITE}"))),
    "KB126": Provocation(
        ada(*facts(f"- title:: Head of Partnerships — from now on (2026-01) {CITE}"))
    ),
    "KB127": Provocation(ada(*relations(f"- related-to:: [Bob](bob.md) (distantly) {CITE}"))),
    "KB128": Provocation(ada(*facts(f"- title:: Head of Partnerships (2026-01, acting) {CITE}"))),
    "KB129": Provocation(ada(*facts(f"- title:: Head of Partnerships (15.01.2026) {CITE}"))),
    "KB131": Provocation(ada(*relations(f"- related-to:: [Bob](bob.md) since school {CITE}"))),
    "KB132": Provocation(
        ada(*facts(f"- title:: Head of Partnerships {CITE}", "  - for the time being"))
    ),
    "KB133": Provocation(ada(*facts("She heads partnerships."))),
    "KB134": Provocation(
        ada(*facts(f"- title:: Head {CITE}"), "", *facts(f"- role:: lead {CITE}"))
    ),
    "KB135": Provocation(ada("> ## Facts")),
    "KB136": Provocation(ada("```text", "## Facts", "", f"- title:: Head {CITE}")),
    "KB137": Provocation(ada(*facts("- title::"))),
    "KB138": Provocation(ada(*facts(f"- job title:: Head of Partnerships {CITE}"))),
    "KB139": Provocation(ada(*facts(f"1. title:: Head of Partnerships {CITE}"))),
    "KB140": Provocation(ada(*facts(f"- title:: Head of Partnerships (2026-01, 2026-02) {CITE}"))),
    "KB141": Provocation(ada("## Relation", "", f"- mentors:: [Bob](bob.md) {CITE}")),
    "KB142": Provocation(ada(*facts(f'- title:: Head - "Dana heads it." {CITE}'))),
    "KB201": raw("---\nname: Ada\n---\n"),
    "KB202": raw("---\nid: Ada Lovelace\n---\n"),
    "KB203": raw("---\nid: ada-lovelace\n---\n"),
    "KB204": raw("---\nid: ada\nname: [Ada, Lovelace]\n---\n"),
    "KB205": Provocation(ada(type="persn")),
    "KB206": Provocation(ada(*relations(f"- relatd-to:: [Bob](bob.md) {CITE}"))),
    "KB207": Provocation(
        ada(*relations(f"- reports-to:: [Northpeak](../company/northpeak.md) {CITE}"))
    ),
    "KB208": Provocation(ada(keys="[dreyes]")),
    "KB209": Provocation(ada(keys='["mail:ada@northpeak.example"]')),
    "KB210": Provocation(ada(keys='["email:sales@northpeak.example"]')),
    "KB211": Provocation(
        ada(*facts(f"- pilot-start:: next Monday {CITE}")),
        config="kb: 1\nfacts:\n  pilot-start: {value: date}\n",
    ),
    "KB212": Provocation(ada(*facts(f"- reports-to:: Bob {CITE}"))),
    "KB213": Provocation(ada(*relations(f"- custom:: [Bob](bob.md) {CITE}"))),
    "KB214": Provocation(ada(*relations(f"- possibly-caused-by:: [Bob](bob.md) {CITE}"))),
    "KB215": Provocation(
        {
            **ada(*relations(f"- caused-by:: [Bob](bob.md) {CITE}")),
            OFFSITE: sealed_silent("2026-01-15-offsite"),
        }
    ),
    "KB216": Provocation(
        ada(*facts(f"- title:: Head of Partnerships {CITE}", f"- title:: Head of Sales {CITE}"))
    ),
    "KB217": Provocation(ada(*relations(f"- related-to:: [Ada Lovelace](ada.md) {CITE}"))),
    "KB218": Provocation(
        {
            **ada(*relations(f"- reports-to:: [Bob](bob.md) {CITE}")),
            BOB: entity("bob", *relations(f"- reports-to:: [Ada](ada.md) {CITE}"), name="Bob"),
        }
    ),
    "KB219": Provocation(
        ada(*relations(f"- knows:: [Bob](bob.md) {CITE}")),
        config="kb: 1\nrelations:\n  knows: {replaced_by: related-to}\n",
    ),
    "KB220": Provocation(ada(*relations(f"- reports-to:: [Ada Lovelace](ada.md) {CITE}"))),
    "KB221": Provocation(ada(alias="[Countess]")),
    "KB301": Provocation(
        ada(*relations(f"- related-to:: [Northpeak](../company/north-peak.md) {CITE}"))
    ),
    "KB302": Provocation(ada(*relations(f"- related-to:: [Northpeak](northpeak.md) {CITE}"))),
    "KB303": Provocation(ada(*relations(f"- related-to:: [Bob](../../../else/bob.md) {CITE}"))),
    "KB304": Provocation(ada(*relations(f"- related-to:: [Bob](https://bob.example/) {CITE}"))),
    "KB305": Provocation(
        {
            **ada(*relations(f"- related-to:: [[Bobby]] {CITE}")),
            "entities/person/bob-reed.md": entity(
                "bob-reed", name="Bob Reed", aliases="[Bobby]", distinct_from="[bob-stone]"
            ),
            "entities/person/bob-stone.md": entity(
                "bob-stone", name="Bob Stone", aliases="[Bobby]"
            ),
        }
    ),
    "KB306": Provocation(
        {**ada(), "entities/company/ada.md": entity("ada", type="company", name="Ada Ltd")}
    ),
    "KB307": Provocation(
        {
            **ada(keys='["github:ada"]'),
            BOB: entity("bob", name="Bob", keys='["github:Ada"]'),
        }
    ),
    "KB308": Provocation({**ada(aliases="[Bobby]"), BOB: entity("bob", name="Bobby")}),
    "KB309": Provocation(ada(aliases="[Bob]")),
    "KB310": Provocation(ada(merged_into="ada-byron")),
    "KB311": Provocation(ada(merged_into="northpeak")),
    "KB312": Provocation(ada(merged_into="bob", distinct_from="[bob]")),
    "KB313": Provocation(ada(distinct_from="[rob]")),
    "KB314": Provocation({ADA: entity("ada"), "entities/Person/cem.md": entity("cem")}),
    "KB315": Provocation({"entities/person/ada: a life.md": entity("ada-a-life")}),
    "KB316": Provocation({BOB: entity("bob")}, set_up=_make_link),
    "KB317": Provocation(
        ada(*facts(f"- title:: Head {CITE} ^b7h2r4tc", f"- role:: lead {CITE} ^b7h2r4tc"))
    ),
    "KB318": Provocation(ada(*facts(f"- title:: Head (superseded by ^b7h2r4tc) {CITE}"))),
    "KB319": Provocation(ada(*facts(f"- title:: Head of Partnerships (by bobb) {CITE}"))),
    "KB320": Provocation(
        {ADA: entity("ada"), "observations/2026/01/ada.md": sealed("ada", happened_at="2026-01-15")}
    ),
    "KB401": Provocation(ada(*relations(f"- related-to:: [Bob](bob.md) (2026-02-30) {CITE}"))),
    "KB402": Provocation(ada(*facts("- title:: Head of Partnerships"))),
    "KB403": Provocation(ada(*facts("- title:: Head of Partnerships [^2026-01-16-offsite]"))),
    "KB404": Provocation(ada(*facts(f'- title:: Head — "Dana heads partnerships." {CITE}'))),
    "KB405": Provocation({OFFSITE: observation("2026-01-15-offsite")}),
    "KB406": Provocation({OFFSITE: observation("2026-01-15-offsite", sha256="0" * 64)}),
    "KB407": Provocation({OFFSITE: sealed("2026-01-15-offsite", kind="meting")}),
    "KB409": Provocation(
        {OFFSITE: sealed("2026-01-15-offsite", derived_from="[2026-01-14-offsite]")}
    ),
    "KB411": Provocation(
        {
            "observations/2026/01/2026-01-20-one-ada.md": sealed(
                "2026-01-20-one-ada", kind="decision", decision="merge", about="[ada, ada-byron]"
            ),
            "observations/2026/01/2026-01-21-no-ada.md": sealed(
                "2026-01-21-no-ada", kind="note", decision="correct", about="[ada]"
            ),
            ADA: entity("ada"),
        }
    ),
    "KB501": Provocation(
        {OFFSITE: sealed("2026-01-15-offsite", "Dana now heads partnerships.\n")},
        set_up=_reseal_after_commit,
    ),
    "KB901": Provocation({}, config="kb: 1\nname: North: peak\n"),
    "KB902": Provocation({}, config="kb: 2\n"),
    "KB903": Provocation({}, config="kb: 1\nstrickt: true\n"),
    "KB904": Provocation({}, config="kb: 1\nstrict: perhaps\n"),
    "KB905": Provocation({}, config="kb: 1\ntypes:\n  ticket: {is: wrok}\n"),
}
