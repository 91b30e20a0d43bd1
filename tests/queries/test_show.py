"""show: the page of an entity."""

from collections.abc import Callable

from kb.knowledge_base import KnowledgeBase
from kb.queries.selection import Selection
from kb.queries.show import Page, show
from tests.conftest import entity, observation

MakeKb = Callable[..., KnowledgeBase]


def page_of(kb: KnowledgeBase, entity: str, **options: Selection) -> Page:
    (page,) = show(kb, entity, **options).results
    return page


FILES = {
    "entities/person/ada.md": entity(
        "ada",
        "Writes the notes. And more.",
        "",
        "## Relations",
        "",
        "- works-for:: [Acme](../company/acme.md) [^2026-01-01-seen]",
        "- reports-to:: [Bob](bob.md) (2020/2021)",
        "",
        "## Facts",
        "",
        "- title:: Engineer (2020/2021)",
        "- title:: CTO (2022/..) [^2026-02-01-mail]",
        name="Ada Lovelace",
        aliases="[Ada]",
        keys="[github:ada]",
    ),
    "entities/person/bob.md": entity("bob", name="Bob"),
    "entities/company/acme.md": entity("acme", type="company", name="Acme"),
    "observations/2026/01/2026-01-01-seen.md": observation("2026-01-01-seen", kind="chat"),
    "observations/2026/02/2026-02-01-mail.md": observation("2026-02-01-mail", kind="email"),
    "observations/2026/03/2026-03-01-said.md": observation("2026-03-01-said", said_by="ada"),
    "observations/2026/04/2026-04-01-party.md": observation(
        "2026-04-01-party", participants="[github:ADA]"
    ),
    "observations/2026/05/2026-05-01-named.md": observation(
        "2026-05-01-named", "Ada\n  Lovelace was there.\n"
    ),
    "observations/2026/06/2026-06-01-linked.md": observation("2026-06-01-linked", "See [[ada]].\n"),
    "observations/2026/07/2026-07-01-other.md": observation(
        "2026-07-01-other", "Adas and Lovelace.\n"
    ),
}


def test_headline_and_description(make_kb: MakeKb) -> None:
    """The headline is the current title and the place of work; the description the body's first sentence."""
    page = page_of(make_kb(FILES), "ada")
    assert page.headline == "Ada Lovelace — CTO (Acme)"
    assert page.description == "Writes the notes."
    assert [view.statement.value for view in page.facts] == ["CTO"]


def test_at_another_time(make_kb: MakeKb) -> None:
    """Under ``at`` the page is what held then."""
    page = page_of(make_kb(FILES), "ada", selection=Selection(at="2020"))
    assert page.headline == "Ada Lovelace — Engineer"
    assert [group.predicate for group in page.relations] == ["reports-to"]


def test_relations_from_both_ends(make_kb: MakeKb) -> None:
    """The other end reads the inverse name."""
    kb = make_kb(FILES)
    assert [group.predicate for group in page_of(kb, "acme").relations] == ["employs"]
    assert [group.predicate for group in page_of(kb, "ada").relations] == ["works-for"]


def test_mentions(make_kb: MakeKb) -> None:
    """An observation mentions who it is cited beside, who said it or took part, who it links or names alone."""
    page = page_of(make_kb(FILES), "ada")
    assert page.mentions.total == 6
    assert (page.mentions.first_seen, page.mentions.last_seen) == ("2026-01-01", "2026-06-01")
    assert dict(page.observations)["email"] == ("2026-02-01-mail",)
    assert not any("2026-07-01-other" in ids for _, ids in page.observations)


def test_a_name_of_two_is_no_mention(make_kb: MakeKb) -> None:
    """A name that another entity bears too is no mention of either."""
    files = {
        **FILES,
        "entities/person/ada-b.md": entity("ada-b", name="Ada Lovelace", aliases="[Ada]"),
    }
    page = page_of(make_kb(files), "ada")
    assert "2026-05-01-named" not in dict(page.observations).get("note", ())


def test_open_questions(make_kb: MakeKb) -> None:
    """Contested values and entities that may be the same stand on the page, unless judged distinct."""
    twin = entity("ada-l", name="Ada Lovelace")
    files = {**FILES, "entities/person/ada-l.md": twin}
    page = page_of(make_kb(files), "ada")
    assert [(one.entity.id, one.reason) for one in page.candidates] == [
        ("ada-l", 'shares the name "Ada Lovelace"')
    ]
    files["entities/person/ada-l.md"] = twin.replace(
        "type: person", "type: person\ndistinct_from: [ada]"
    )
    assert page_of(make_kb(files), "ada").candidates == ()


def test_a_merge_and_its_undoing(make_kb: MakeKb) -> None:
    """A redirect's statements, names and keys count as the survivor's; without the line all is as before."""
    other = entity(
        "ada-king",
        "## Relations",
        "",
        "- mentors:: [Bob](bob.md)",
        "- collaborates-with:: [Ada](ada.md)",
        name="Ada King",
        keys="[orcid:1]",
    )
    before = {**FILES, "entities/person/ada-king.md": other}
    merged = {
        **FILES,
        "entities/person/ada-king.md": other.replace(
            "type: person", "type: person\nmerged_into: ada"
        ),
    }
    plain = page_of(make_kb(before), "ada")
    page = page_of(make_kb(merged), "ada")
    assert page.merged == ("ada-king",)
    assert "Ada King" in page.aliases
    assert "orcid:1" in page.keys
    assert {group.predicate for group in page.relations} == {"works-for", "mentors"}
    assert page.self_statements == 1
    assert page_of(make_kb(before), "ada") == plain


def test_decisions_stand_on_the_page(make_kb: MakeKb) -> None:
    """A decision about an entity is on record on its page."""
    files = {
        **FILES,
        "observations/2026/08/2026-08-01-twins.md": observation(
            "2026-08-01-twins",
            "They are two.\n",
            kind="decision",
            decision="distinct",
            about="[ada, bob]",
        ),
    }
    (decision,) = page_of(make_kb(files), "bob").decisions
    assert (decision.decision, decision.date, decision.reason) == (
        "distinct",
        "2026-08-01",
        "They are two.",
    )
    assert not decision.is_taken_back


def test_a_decision_that_was_taken_back_is_marked(make_kb: MakeKb) -> None:
    """What a page has on record stands, or says that it does not; a correction that is taken back takes nothing back."""
    made = {
        "a-distinct": ("distinct", "[ada, bob]"),
        "b-correct": ("correct", "[a-distinct, ada, bob]"),
        "c-correct": ("correct", "[b-correct, ada]"),
    }
    files = {
        f"observations/2026/08/{id}.md": observation(
            id, "So.\n", kind="decision", decision=decision, about=about
        )
        for id, (decision, about) in made.items()
    }

    def taken_back(letters: str) -> set[str]:
        kept = {path: text for path, text in files.items() if path.split("/")[-1][0] in letters}
        page = page_of(make_kb({**FILES, **kept}), "ada")
        return {one.observation for one in page.decisions if one.is_taken_back}

    assert taken_back("a") == set()
    assert taken_back("ab") == {"a-distinct"}
    assert taken_back("abc") == {"b-correct"}


def test_a_broken_file_stays_listed(make_kb: MakeKb) -> None:
    """A file that does not parse is shown as broken, under its stem."""
    files = {**FILES, "entities/person/eve.md": "---\nid: eve\nname: a: b\n---\n"}
    assert page_of(make_kb(files), "eve").is_broken


def test_a_headline_says_only_what_stands(make_kb: MakeKb) -> None:
    """Whatever else is shown, the headline is the current title; of a contest the latest said."""
    files = {
        "entities/person/bob.md": entity(
            "bob",
            "## Facts",
            "",
            "- title:: Later in the file [^2026-01-01-seen]",
            "- title:: Said last [^2026-02-01-mail]",
            "- title:: Said before there were computers [^1952-01-01-old]",
            "- title:: Wrong (retracted) [^2026-02-01-mail]",
            name="Bob",
        ),
        "observations/2026/01/2026-01-01-seen.md": observation("2026-01-01-seen"),
        "observations/2026/02/2026-02-01-mail.md": observation("2026-02-01-mail"),
        "observations/1952/01/1952-01-01-old.md": observation("1952-01-01-old"),
    }
    kb = make_kb(files)
    assert page_of(kb, "bob").headline == "Bob — Said last"
    assert page_of(kb, "bob", selection=Selection(history=True)).headline == "Bob — Said last"


def test_a_limit_cuts_facts_too(make_kb: MakeKb) -> None:
    """A page with more facts than the limit says so."""
    lines = ["## Facts", "", *(f"- note-{n}:: {n}" for n in range(5))]
    answer = show(make_kb({"entities/person/bob.md": entity("bob", *lines)}), "bob", limit=2)
    assert (len(answer.results[0].facts), answer.results[0].total_facts, answer.truncated) == (
        2,
        5,
        True,
    )
