"""What ``kb init`` puts into an empty knowledge base: settings that teach, ignore files, and something to look at."""

from kb.edits.file_texts import format_entity, format_observation
from kb.edits.footnotes import CitedSource
from kb.graph.drafts import statement_basis
from kb.model.names import mint_statement_id
from kb.model.statement import Citation, Link, LinkForm, Section, StatementLine
from kb.model.vocabulary import Reading
from kb.store.layout import observation_path, relative_link
from kb.store.root import CONFIGURATION
from kb.syntax.edtf import TimeFault, parse_interval
from kb.syntax.inline import format_link

_CONFIGURATION = """\
# {name}: a knowledge base of Markdown files. This file says which words it may use; it is laid over the
# built-in vocabulary (`kb vocabulary` prints both). Nothing but the first line is needed.

kb: 1 # version of the file format, not of your data
name: {quoted}
links: markdown # relative Markdown links; `wiki` writes [[id|label]]
strict: false # true turns warnings about unknown words, missing citations and shared keys into errors
freshness: 0 # seconds for which a full look at the files is trusted; 0 looks every time

# Words of your own. Take the sign # away from those that fit, or let `kb check` tell you what is missing.

# types:
#   ticket: {{is: work}} # a ticket may stand wherever a project, a feature or a deal may

# keys:
#   crm: {{types: [company], pattern: "C-[0-9]+"}} # crm:C-1042; a key that does not match is reported

# relations:
#   # Company A supplies B; read from the other end, B is supplied by A.
#   supplies: {{inverse: supplied-by, from: [company], to: [company, product], aliases: [vendor-of]}}

# facts:
#   pilot-start: {{value: date, single: true}} # one value at a time; two that overlap are shown as contested
"""

_ATTRIBUTES = """\
# Diffs name the heading that a changed line stands under.
entities/**/*.md text eol=lf diff=markdown
# Sealed source texts: bytes as they came, never merged line by line.
observations/**/*.md -text -merge
questions/*.jsonl text eol=lf
"""

_IGNORE = """\
# Source texts are sealed: reformatting one breaks its seal.
observations/
"""

_MDFORMAT = """\
# Source texts are sealed: reformatting one breaks its seal, so mdformat is to leave this folder alone.
# (mdformat reads `exclude` on Python 3.13 or later; before that it stops here with an error, which protects them too.)
exclude = ["**"]
"""

_BODY = """\
Ada Lovelace worked with Charles Babbage on the Analytical Engine.
She translated Menabrea's account of it in 1842 and added notes three times as long, which appeared in 1843.
"""

_PERSON, _WORK = "entities/person/ada-lovelace.md", "entities/work/analytical-engine.md"


def settings_files(name: str) -> dict[str, str]:
    """Give the files that every knowledge base has, by path."""
    quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return {
        CONFIGURATION: _CONFIGURATION.format(name=name, quoted=quoted),
        ".gitattributes": _ATTRIBUTES,
        ".prettierignore": _IGNORE,
        ".remarkignore": _IGNORE,
        "observations/.mdformat.toml": _MDFORMAT,
    }


def example_files(day: str) -> dict[str, str]:
    """Give an observation of a day ``yyyy-mm-dd`` and two entities that it speaks of, by path, source first."""
    source = CitedSource(
        f"{day}-first-note", "First note", day, observation_path(f"{day}-first-note", day)
    )
    note = format_observation(
        (
            ("id", source.id),
            ("kind", "note"),
            ("title", source.title),
            ("happened_at", day),
            ("said_by", "kb init"),
        ),
        _BODY,
    )
    link = format_link("Analytical Engine", relative_link(_PERSON, _WORK))
    relation = _statement(
        "ada-lovelace", source.id, "contributes-to", "1842/1843", "her notes", link=link
    )
    quote = '"added notes three times as long"'
    fact = _statement("ada-lovelace", source.id, "role", "1842/1843", quote, value="Translator")
    sources = {source.id: source}
    person = (
        ("id", "ada-lovelace"),
        ("type", "person"),
        ("name", "Ada Lovelace"),
        ("aliases", ["Ada"]),
    )
    prose = (
        "An example, to be looked at and deleted. Free text like this is yours: no tool touches it."
    )
    about = "What the relation in [Ada Lovelace](../person/ada-lovelace.md) leads to; read from here it is the inverse."
    work = (("id", "analytical-engine"), ("type", "work"), ("name", "Analytical Engine"))
    return {
        source.path: note,
        _WORK: format_entity(_WORK, work, about, (), sources),
        _PERSON: format_entity(_PERSON, person, prose, ((relation, link), (fact, None)), sources),
    }


def _statement(
    subject: str,
    observation: str,
    predicate: str,
    time: str,
    note: str,
    link: str = "",
    value: str | None = None,
) -> StatementLine:
    interval = parse_interval(time)
    assert not isinstance(interval, TimeFault)
    line = StatementLine(
        section=Section.RELATIONS if link else Section.FACTS,
        predicate=predicate,
        link=Link(LinkForm.MARKDOWN, "", "", 0, 0) if link else None,
        value=value,
        interval=interval,
        note=note,
        citations=(Citation(observation, 0, 0),),
    )
    basis = statement_basis(
        subject, line, Reading(predicate), "analytical-engine" if link else None
    )
    return line._replace(id=mint_statement_id(basis))
