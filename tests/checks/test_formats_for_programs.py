"""How findings are given to other programs: SARIF, GitHub's workflow commands, GCC's lines."""

import json

from kb import __version__
from kb.catalogue import CATALOGUE
from kb.diagnostics import WHOLE_FILE, Diagnostic, Severity, Span
from kb.render.diagnostics import render_diagnostics

PATH = "entities/person/ada.md"
RELATED = (("entities/b.md", Span(2, 5, 6)), ("entities/c.md", WHOLE_FILE))


def finding(path: str = PATH, message: str = 'no entity "babage"', **fields) -> Diagnostic:
    """Give a finding at a place in a file."""
    fields = {"hint": 'did you mean "babbage"?', **fields}
    return Diagnostic("KB301", Severity.ERROR, path, Span(12, 8, 20), message, **fields)


WARNING = Diagnostic("KB405", Severity.WARNING, "a.md", WHOLE_FILE, "unsealed")


def sarif_run(*findings: Diagnostic) -> dict:
    """Render findings as SARIF; give the one run, with what every log must have checked."""
    log = json.loads(render_diagnostics(findings, "sarif", {}))
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert {"tool", "results"} <= set(
        run
    )  # `tool` is required; no `results` means that nothing ran
    return run


def test_sarif_names_the_tool_and_the_rules_in_use() -> None:
    """The driver has a name and a version, and the catalogue's entry of each code that occurs, once."""
    driver = sarif_run(finding(), finding("b.md"), WARNING)["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("kb", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["KB301", "KB405"]
    entry = CATALOGUE["KB301"]
    rule = driver["rules"][0]
    assert rule["name"] == entry.name
    assert rule["fullDescription"] == {"text": entry.summary}
    assert entry.summary.startswith(rule["shortDescription"]["text"].removesuffix("."))
    assert rule["help"]["text"].startswith(entry.remedy)
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert "helpUri" not in rule


def test_sarif_result() -> None:
    """A result has its rule, level, text with the hint, and a place in code points from 1."""
    run = sarif_run(WARNING, finding())
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"][1] == {
        "ruleId": "KB301",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": 'no entity "babage"\nhint: did you mean "babbage"?'},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": PATH, "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 12, "startColumn": 8, "endColumn": 20},
                }
            }
        ],
    }
    assert run["results"][0]["level"] == "warning"
    assert "%SRCROOT%" in run["originalUriBaseIds"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_related_places() -> None:
    """Other places that a finding is about are numbered, each with a text, as viewers want them."""
    (result,) = sarif_run(finding(related=RELATED))["results"]
    assert [place["id"] for place in result["relatedLocations"]] == [1, 2]
    assert all(place["message"]["text"] for place in result["relatedLocations"])
    places = [place["physicalLocation"] for place in result["relatedLocations"]]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "entities/b.md",
        "entities/c.md",
    ]
    assert places[1]["region"] == {"startLine": 1, "startColumn": 1, "endColumn": 1}


def test_sarif_paths_are_relative_uris() -> None:
    """What a URI cannot hold is percent-encoded by bytes; bytes that are no UTF-8 keep their value."""
    run = sarif_run(finding("entities/a b:%/é\udcff.md", "bad \udcff"))
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "entities/a%20b%3A%25/%C3%A9%FF.md"
    assert run["results"][0]["message"]["text"].startswith("bad \\udcff")


def test_sarif_of_a_clean_knowledge_base_has_no_results() -> None:
    """An empty list says that checks ran and found nothing."""
    run = sarif_run()
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


def test_github_is_one_command_a_finding() -> None:
    """A workflow command with the place and the code; hint and related places are lines of its text."""
    assert render_diagnostics([finding(related=RELATED), WARNING], "github", {}) == (
        "::error file=entities/person/ada.md,line=12,col=8,endColumn=20,title=KB301 dangling-link"
        '::no entity "babage"%0Ahint: did you mean "babbage"?'
        "%0Asee: entities/b.md:2:5%0Asee: entities/c.md:1:1\n"
        "::warning file=a.md,line=1,col=1,endColumn=1,title=KB405 unsealed-observation::unsealed\n"
    )


def test_github_escapes() -> None:
    """``%`` and line ends are escaped everywhere, ``:`` and ``,`` in properties; a file cannot end its command."""
    hostile = finding("a%,b::c\r\n.md", "50%\r\n::set-output name=x::y, z", hint="")
    assert render_diagnostics([hostile], "github", {}) == (
        "::error file=a%25%2Cb%3A%3Ac%0D%0A.md,line=12,col=8,endColumn=20,title=KB301 dangling-link"
        "::50%25%0D%0A::set-output name=x::y, z\n"
    )


def test_gcc_lines() -> None:
    """``path:line:column: severity: message [code]``; the hint and related places are notes."""
    assert render_diagnostics([finding(related=RELATED), WARNING], "gcc", {}) == (
        'entities/person/ada.md:12:8: error: no entity "babage" [KB301]\n'
        'entities/person/ada.md:12:8: note: did you mean "babbage"?\n'
        "entities/b.md:2:5: note: see also\n"
        "entities/c.md:1:1: note: see also\n"
        "a.md:1:1: warning: unsealed [KB405]\n"
    )


def test_controls_are_shown_and_never_sent() -> None:
    """What could steer the terminal that shows a log is an escape in all three."""
    hostile = finding(
        "a\x1b]0;x\x07.md", "\x9b2J\u202e\udcff\nx", hint="\x1b[1m", related=(("\x1b", WHOLE_FILE),)
    )
    for form in ("sarif", "github", "gcc"):
        rendered = render_diagnostics([hostile], form, {})
        assert not set("\x1b\x07\x9b\u202e\udcff") & set(rendered)
    assert len(render_diagnostics([hostile], "github", {}).splitlines()) == 1
    assert len(render_diagnostics([hostile], "gcc", {}).splitlines()) == 3


def test_long_messages_are_cut_in_lines_only() -> None:
    """Lines show both ends of what quotes a whole long line; SARIF has all of it."""
    long = finding(message="a" * 50_000 + "z", hint="")
    for form in ("github", "gcc"):
        assert len(render_diagnostics([long], form, {})) < 1000
    assert long.message in render_diagnostics([long], "sarif", {})
