"""``tools/bench`` compares medians with figures to reach, and says what it could not measure. No test looks at times."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.tools.mini_clone import TOOLS
from tools.benchmark.exports import Edge, read_file
from tools.benchmark.measuring import Effort, Failed, Figure, environment, measure, percentile
from tools.benchmark.measuring import summarize as summarize_runs
from tools.benchmark.pairs import connected_pairs
from tools.benchmark.peers import Peers
from tools.benchmark.report import BEGIN, END, render_report, replace_table
from tools.benchmark.rows import SPECS, Spec, edited, measure_row, select
from tools.benchmark.table import Row, Target, format_seconds, render_table

MB = 1_000_000
ONCE = Effort(1, 0)


NOTHING_ASKED = Target()


def row(
    ours: Figure | None, theirs: Figure | None, target: Target = NOTHING_ASKED, note: str = ""
) -> Row:
    """Make a row of some figures."""
    return Row("a/b", "a question", 1000, "C", ours, theirs, target, note)


# Figures


def test_medians() -> None:
    """A figure is the median of times and, by itself, of peaks."""
    runs = [(3.0, 10), (1.0, 30), (2.0, 20)]
    assert summarize_runs(runs) == Figure(2.0, 20, 3)


@pytest.mark.parametrize("share, value", [(0.95, 19), (1.0, 20), (0.5, 10), (0.01, 1)])
def test_percentiles(share: float, value: int) -> None:
    """A percentile is a value that occurred: the least that the share does not exceed."""
    assert percentile([*range(20, 0, -1)], share) == value


@pytest.mark.parametrize(
    "ours, theirs, target, reached",
    [
        (Figure(1.5), Figure(1.0), Target(1.5), True),
        (Figure(1.6), Figure(1.0), Target(1.5), False),
        (Figure(1.0, 48 * MB), Figure(1.0), Target(1.5, peak=48 * MB), True),
        (Figure(1.0, 49 * MB), Figure(1.0), Target(1.5, peak=48 * MB), False),
        (Figure(1.0, p95=0.02), Figure(2.0), Target(1.0, p95=0.01), False),
        (Figure(1.0), None, Target(1.5), None),
        (Figure(1.0, 49 * MB), None, Target(1.5, peak=48 * MB), False),
        (Figure(1.0, lost=0), Figure(1.0), Target(lost=0), True),
        (Figure(1.0, lost=1), Figure(1.0), Target(lost=0), False),
        (Figure(1.0), Figure(1.0), Target(lost=0), None),
        (None, Figure(1.0), Target(1.5), None),
        (Figure(1.0), Figure(1.0), Target(), None),
    ],
)
def test_reached(ours: Figure, theirs: Figure, target: Target, reached: bool | None) -> None:
    """A row is reached if all that is asked is; one miss settles it, and what was not measured leaves it open."""
    assert row(ours, theirs, target).reached is reached


@pytest.mark.parametrize(
    "seconds, text",
    [(0.00042, "0.42 ms"), (0.042, "42.0 ms"), (4.2, "4.20 s"), (126.4, "126 s")],
)
def test_times(seconds: float, text: str) -> None:
    """A time is written with its unit and two or three digits."""
    assert format_seconds(seconds) == text


# The table


def test_row_in_a_line() -> None:
    """While it runs, the benchmark tells each row in a line."""
    assert str(row(Figure(0.06), Figure(0.05))) == "60.0 ms, C 50.0 ms: 1.20 ×"
    assert str(row(None, Figure(0.05), note="no kb")) == "–, C 50.0 ms (no kb)"


def test_table() -> None:
    """The table has a line a row; equal notes are told once, below it."""
    rows = (
        row(Figure(0.06, 30 * MB), Figure(0.05), Target(1.5, 1.3, peak=48 * MB)),
        row(Figure(0.002, p95=0.02), None, Target(1.0, p95=0.01), "no peer"),
        row(None, None, note="no peer"),
        row(Figure(4.2, lost=0), Figure(5), Target(lost=0)),
    )
    assert render_table(rows) == (
        "| what | entities | kb | peer | ratio | to reach | reached | peak memory |\n"
        "|---|--:|--:|--:|--:|--:|---|--:|\n"
        "| a question | 1,000 | 60.0 ms | C 50.0 ms | 1.20 × | ≤ 1.5 ×, ≤ 48 MB | yes | 30 MB |\n"
        "| a question [1] | 1,000 | 2.00 ms (p95 20.0 ms) | C – | – | ≤ 1 ×, p95 ≤ 10.0 ms | no | – |\n"
        "| a question [1] | 1,000 | – | C – | – |  |  | – |\n"
        "| a question | 1,000 | 4.20 s (0 lost) | C 5.00 s | 0.84 × | 0 lost | yes | – |\n"
        "\n"
        "1. no peer\n"
    )


def test_report_replaces_the_table_of_a_page() -> None:
    """A page keeps what stands around its table, however often that is replaced."""
    report = render_report([row(Figure(1), Figure(1), Target(1))], {"cores": "2"})
    page = replace_table(f"# Head\n\n{BEGIN}\nold\n{END}\n\ntail\n", report)
    assert page.startswith(f"# Head\n\n{BEGIN}\n\nMeasured on: cores 2. 1 figures reached")
    assert page.endswith(f"\n{END}\n\ntail\n")
    assert replace_table(page, report) == page
    with pytest.raises(ValueError, match="the page lacks"):
        replace_table("# Head\n", report)


# Measuring


def test_peak_is_of_the_process_alone(tmp_path: Path) -> None:
    """What the benchmark itself takes does not count as its children's."""
    ballast = bytearray(300 * MB)
    figure = measure([sys.executable, "-S", "-c", "pass"], tmp_path, ONCE, environment())
    assert len(ballast) > 2 * figure.peak > 0
    figure = measure(
        [sys.executable, "-S", "-c", "bytearray(100_000_000)"], tmp_path, ONCE, environment()
    )
    assert figure.peak > 100 * MB


def test_runs_and_what_comes_before_each(tmp_path: Path) -> None:
    """There are as many runs as wanted, each after what is to come before it, in the folder named."""
    written: list[int] = []
    code = "open('runs', 'a').write('x')"
    command = [sys.executable, "-S", "-c", code]
    figure = measure(command, tmp_path, Effort(3, 60), environment(), lambda: written.append(1))
    assert (figure.runs, len(written), (tmp_path / "runs").read_text()) == (3, 3, "xxx")


def test_failing_command(tmp_path: Path) -> None:
    """A command that fails gives no figure, but its last words."""
    command = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    with pytest.raises(Failed, match="no such thing"):
        measure(command, tmp_path, ONCE, environment())


def test_edits_are_undone(tmp_path: Path) -> None:
    """Each edit differs from the one before, and at the end the file is as it was."""
    path = tmp_path / "a.md"
    path.write_text("before\n")
    with edited(path) as edit:
        texts = set()
        for _ in range(3):
            edit()
            texts.add(path.read_text())
    assert len(texts) == 3
    assert path.read_text() == "before\n"


# Rows


def test_rows_have_ids_of_their_own() -> None:
    """Ids are unique, and patterns choose among them."""
    ids = [spec.id for spec in SPECS]
    assert len(ids) == len(set(ids))
    assert [spec.id for spec in select(SPECS, "warm,search/name")] == [
        "warm/low",
        "warm/hub",
        "search/name",
    ]
    assert select(SPECS, "nothing") == []


def test_a_quick_run_leaves_out_what_takes_minutes() -> None:
    """Of the rows there are, those alone are missing."""
    command = [sys.executable, str(TOOLS / "bench"), "--list"]
    listed, quick = (
        subprocess.run([*command, *more], capture_output=True, text=True, check=True).stdout.split()
        for more in ((), ("--quick",))
    )
    assert [id for id in listed if id not in quick] == [spec.id for spec in SPECS if spec.is_long]
    assert "write/many" not in quick


def test_row_without_its_peer() -> None:
    """A peer that cannot be had leaves its cell empty, and the row says why, but not where."""

    def missing(*_: object) -> Figure:
        raise Failed("rg failed: no file '/home/ada/cache/rg'")

    class Base:
        entities = 7

    spec = Spec("a/b", "a", "rg", lambda *_: Figure(1.0), missing)
    measured = measure_row(None, spec, Base(), {})  # type: ignore[arg-type]
    assert (measured.ours, measured.theirs) == (Figure(1.0), None)
    assert measured.note == "rg failed: no file '…/rg'"


def test_nothing_is_fetched_unasked(tmp_path: Path) -> None:
    """Where nothing may be fetched, a peer that is not there is told, and nothing is made for it."""
    peers = Peers(tmp_path / "peers", may_fetch=False)
    with pytest.raises(Failed, match="whoosh could not be fetched"):
        peers.python_with("whoosh")
    assert not (tmp_path / "peers").exists()


PAGE = """\
---
id: ada
type: person
name: Ada
aliases: ["Lovelace, Ada"]
keys: [email:ada@northpeak.example]
---

Ada was here.

## Relations

- works-for:: [Acme (Ltd)](../../company/ac/acme.md) (2020/2021, 90%) — "Ada works." [^2020-01-01-a] ^00000000
- works-for:: [Bolt](../../company/bo/bolt.md) (retracted) [^2020-01-01-a] ^00000001
- discussed-with:: [Bo](../bo/bo.md) ^00000002
- led-by:: [Cy](../cy/cy.md) [^2020-01-01-a] ^00000004

## Facts

- title:: Engineer (2020/..) [^2020-01-01-a] [^2020-01-02-b] ^00000003

[^2020-01-01-a]: [A, 2020-01-01](../../../observations/2020/01/2020-01-01-a.md)
"""


def test_what_peers_are_given() -> None:
    """Peers get the words that kb searches, and the relations that it walks, with their support."""
    read = read_file(PAGE, True, date(2026, 1, 1))
    assert read.names == ["Ada", '"Lovelace, Ada"', "email:ada@northpeak.example", "ada"]
    assert read.body == 'Ada was here.\n"Ada works."\nEngineer'
    assert read.edges == [
        Edge("ada", "acme", "works-for", (1, 1, 1, 90), is_current=False),
        Edge("ada", "bo", "discussed-with", (0, 0, 0, 100), is_current=True),
        Edge("cy", "ada", "leads", (1, 1, 1, 100), is_current=True),
    ]


def test_pairs_are_connected() -> None:
    """Each start is paired with what is two and three hops away, without a hub on the way or at the end."""
    edges = [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
        ("a", "hub"),
        ("hub", "d"),
        ("hub", "e"),
        ("hub", "f"),
    ]
    adjacent: dict[str, set[str]] = {}
    for one, other in edges:
        adjacent.setdefault(one, set()).add(other)
        adjacent.setdefault(other, set()).add(one)
    assert connected_pairs(adjacent, ["a", "e"], 3, 3) == [("a", "c"), ("a", "d")]


def test_quick_run(tmp_path: Path) -> None:
    """A run of one row measures kb in a knowledge base that it makes, and saves table and figures."""
    cache = tmp_path / "cache"
    command = [sys.executable, str(TOOLS / "bench"), "--quick", "--sizes", "50", "--no-fetch"]
    which = ("--only", "cold/find-id", "--python", sys.executable, "--cache", str(cache))
    run = subprocess.run([*command, *which], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    assert run.stderr.startswith("50 entities: cold/find-id\n  ")
    assert "| `find by id`, in a burst | 50 |" in run.stdout
    assert (cache / "results.md").read_text("utf-8").strip() == run.stdout.strip()
    (found,) = json.loads((cache / "results.json").read_text("utf-8"))["rows"]
    assert found["ours"]["seconds"] > 0 < found["ours"]["peak"]
    assert found["theirs"]["seconds"] > 0
    assert str(tmp_path) not in run.stdout
