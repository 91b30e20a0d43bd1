"""Links: what they lead to, and what of that is a fault."""

import pytest

from tests.checks.found import found, marked, said
from tests.conftest import entity, observation


def linking(link: str, **others: str) -> dict[str, str]:
    """Give Bob, who is related by a link, and Ada."""
    return {
        "entities/person/ada.md": entity("ada", name="Ada Lovelace"),
        "entities/person/bob.md": entity("bob", "## Relations", "", f"- related-to:: {link}"),
        **others,
    }


@pytest.mark.parametrize(
    "link",
    [
        "[Ada](ada.md)",
        "[Ada](./ada.md)",
        "[Ada](../person/ada.md#notes)",
        '[Ada](ada.md "Title")',
        "[Ada](<ada.md>)",
        "[Ada](../person/%61da.md)",
        "[[ada]]",
        "[[ada|Countess]]",
        "[[person/ada]]",
        "[[entities/person/ada.md]]",
        "[[Ada Lovelace]]",
        "[[ada#Notes]]",
    ],
)
def test_links_that_lead_to_an_entity(make_kb, link: str) -> None:
    """Relative Markdown links and wiki links by id, path or exact name are read without a word."""
    assert found(make_kb(linking(link))) == []


@pytest.mark.parametrize(
    "link, code",
    [
        ("[Ada](ada-lovelace.md)", "KB301"),
        ("[[Ada King]]", "KB301"),
        ("[Ada](../company/ada.md)", "KB302"),
        ("[Ada](Ada.md)", "KB302"),
        ("[[company/ada]]", "KB302"),
        ("[Ada](/entities/person/ada.md)", "KB303"),
        ("[Ada](../../../etc/passwd)", "KB303"),
        ("[Ada](../../../entities/person/ada.md)", "KB303"),
        ("[Ada](file:///etc/ada.md)", "KB303"),
        ("[Ada](..%2F..%2F..%2Fada.md)", "KB303"),
        ("[Ada](~/ada.md)", "KB303"),
        ("[Ada](C:/ada.md)", "KB303"),
        ("[[../../../etc/ada]]", "KB303"),
        ("[Ada](https://ada.example/ada.md)", "KB304"),
        ("[[https://ada.example/ada]]", "KB304"),
        ("[Ada](../person)", "KB304"),
        ("[Ada](../person/)", "KB304"),
        ("[Ada](ada.txt)", "KB304"),
        ("[Ada](#ada)", "KB304"),
        ("[said](../../observations/2026/01/2026-01-15-offsite.md)", "KB304"),
        ("[[2026-01-15-offsite]]", "KB304"),
    ],
)
def test_links_at_fault(make_kb, link: str, code: str) -> None:
    """Each way to miss an entity is told as what it is, at the link."""
    path = "observations/2026/01/2026-01-15-offsite.md"
    kb = make_kb(linking(link, **{path: observation("2026-01-15-offsite")}))
    assert found(kb) == [f"bob.md:8:16 {code}"]
    assert marked(kb, code) == [link]


def test_observation_is_no_object(make_kb) -> None:
    """A relation to an observation states nothing: ids of observations are a space of their own."""
    files = {"observations/2026/01/2026-01-15-x.md": observation("2026-01-15-x")}
    kb = make_kb(linking("[said](../../observations/2026/01/2026-01-15-x.md)", **files))
    assert tuple(kb.graph.iter_statements()) == ()
    assert said(kb, "KB304")[0][1] == "cite it: [^2026-01-15-x]"


def test_backslashes_lead_out(make_kb) -> None:
    """B32: a backslash is a way out on some systems, so it is one on all."""
    assert found(make_kb(linking("[Ada](..\\\\..\\\\evil.md)"))) == ["bob.md:8:16 KB303"]


def test_broken_file_is_not_missing(make_kb) -> None:
    """A link to a file that does not parse leads there; only the file itself is at fault."""
    kb = make_kb(linking("[Cem](cem.md)", **{"entities/person/cem.md": "no frontmatter\n"}))
    assert found(kb) == ["cem.md:1:1 KB102"]


def test_too_large_file_is_not_missing(make_kb) -> None:
    """Nor is one that was not read."""
    kb = make_kb(linking("[Cem](cem.md)", **{"entities/person/cem.md": "x" * (5 << 20)}))
    assert found(kb) == ["cem.md:1:1 KB114"]


def test_link_behind_a_symbolic_link_is_not_missing(make_kb, tmp_path) -> None:
    """What a link that is not followed may hold is not missing on top."""
    kb_root = tmp_path / "kb"
    (kb_root / "entities").mkdir(parents=True)
    (kb_root / "entities/company").symlink_to(tmp_path)
    assert found(make_kb(linking("[Northpeak](../company/northpeak.md)"))) == ["company:1:1 KB316"]


def test_path_of_an_ambiguous_id_is_ambiguous(make_kb) -> None:
    """A link to one of two files with one id is not dangling, whatever the file's stem."""
    files = {f"entities/person/{stem}.md": entity("cem") for stem in ("cem", "cemal")}
    assert found(make_kb(linking("[Cem](cemal.md)", **files))) == [
        "cemal.md:2:5 KB203",
        "cemal.md:2:5 KB306",
    ]


def test_decomposed_file_name(make_kb) -> None:
    """B34: names and links are compared in one Unicode normal form."""
    name = "Ju\u0308rgen Mu\u0308ller"
    kb = make_kb(
        linking(
            "[[J\u00fcrgen M\u00fcller]]", **{f"entities/person/{name}.md": entity("jm", name=name)}
        )
    )
    assert found(kb, "KB301", "KB305") == []


def test_name_with_a_slash(make_kb) -> None:
    """[[AC/DC]] is a name, not the file DC in a folder AC."""
    kb = make_kb(
        linking(
            "[[AC/DC]]",
            **{
                "entities/team/acdc.md": entity("acdc", type="team", name="AC/DC"),
                "entities/place/dc.md": entity("dc", type="place"),
            },
        )
    )
    assert found(kb) == []
    assert [statement.object for statement in kb.graph.iter_statements()] == ["bob"]
    assert [statement.subject for statement in kb.graph.iter_statements()] == ["acdc"]


def test_guess_by_id_and_by_name(make_kb) -> None:
    """The nearest id is offered, or the id of the nearest name, and never taken."""
    for link in ("[Ada](adda.md)", "[[Ada Lovelase]]"):
        kb = make_kb(linking(link))
        assert said(kb, "KB301")[0][1] == 'did you mean "ada"?'
        assert tuple(kb.graph.iter_statements()) == ()


def test_links_in_values_and_notes_are_mentions(make_kb) -> None:
    """A mention that leads nowhere is told; one that leads elsewhere is the author's affair."""
    kb = make_kb(
        {
            "entities/person/bob.md": entity(
                "bob",
                "## Facts",
                "",
                "- title:: Aide to [[Adda]] — see [Ada](adda.md), [page](https://x.example) and `[[x]]`",
            )
        }
    )
    assert marked(kb, "KB301") == ["[[Adda]]", "[Ada](adda.md)"]


def test_free_text_may_link_what_is_still_to_be_written(make_kb) -> None:
    """In free text a relative link to a missing entity file is told; other links are the author's."""
    kb = make_kb(
        {
            "entities/person/bob.md": entity(
                "bob",
                "Friend of [[Nobody Yet]], [Ada](adda.md), [readme](../../README.md), [up](../../../x.md), `[x](y.md)`.",
            )
        }
    )
    assert marked(kb, "KB301") == ["[Ada](adda.md)"]
    assert found(kb) == ["bob.md:6:27 KB301"]
