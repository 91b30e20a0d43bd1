"""What is measured, row by row: kb's side, the peer's side, and the figure to reach."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from .bases import Base
from .bench import Bench
from .mails import write_mails
from .measuring import Effort, Failed, Figure, capture, measure
from .table import MEGA, Row, Target

#: Something that is measured on a knowledge base.
Measured = Callable[[Bench, Base], Figure]

#: The folders of a path, which a table for others leaves out.
_PATH = re.compile(r"(?:/[^/\s'\"]+)+/")

#: What was measured already, by what it is and the number of entities.
Known = dict[tuple[Measured, int], Figure]

HOPS = 3
#: Seconds for which the rows "in a burst" let a sweep be trusted.
TRUSTED = 2
#: The size that others are compared with.
SMALL = 1000


@dataclass(frozen=True)
class Spec:
    """A row to be measured."""

    id: str
    what: str
    peer: str
    ours: Measured
    theirs: Measured
    target: Target = field(default_factory=Target)
    sizes: tuple[int, int] = (1, 10**9)  #: the fewest and the most entities it makes sense for
    note: str = ""
    is_long: bool = False  #: takes minutes: left out by ``--quick``


def measure_rows(
    bench: Bench, specs: Sequence[Spec], sizes: Sequence[int], tell: Callable[[str], None]
) -> Iterator[Row]:
    """Measure all rows, size by size, telling each before it begins, and what came of it."""
    known: Known = {}
    for entities in sizes:
        fitting = [spec for spec in specs if spec.sizes[0] <= entities <= spec.sizes[1]]
        for spec in fitting:
            tell(f"{entities:,} entities: {spec.id}")
            row = measure_row(bench, spec, bench.base(entities), known)
            tell(f"  {row}")
            yield row


def measure_row(bench: Bench, spec: Spec, base: Base, known: Known) -> Row:
    """Measure both sides. One that fails leaves its cell empty and says why in the note."""
    row = Row(spec.id, spec.what, base.entities, spec.peer, target=spec.target)
    reasons = [spec.note] if spec.note else []
    figures: list[Figure | None] = []
    for side in (spec.ours, spec.theirs):
        try:
            figures.append(_figure(bench, side, base, known))
        except Failed as error:
            figures.append(None)
            reasons.append(_PATH.sub("…/", str(error)))
    return replace(row, ours=figures[0], theirs=figures[1], note="; ".join(reasons))


def _figure(bench: Bench, side: Measured, base: Base, known: Known) -> Figure:
    """Measure one side, or give what an earlier row measured; C is quick, and taken anew beside each row."""
    key = (side, base.entities)
    if key not in known or side in (import_click, sweep):
        known[key] = side(bench, base)
    return known[key]


def select(specs: Sequence[Spec], patterns: str) -> list[Spec]:
    """Return the rows whose id, or its beginning, fits one of some patterns with commas between."""
    wanted = [form for pattern in patterns.split(",") for form in (pattern, f"{pattern}/*")]
    return [spec for spec in specs if any(fnmatch(spec.id, form) for form in wanted)]


# -- cold questions --------------------------------------------------------------------------------

#: Arguments of a kb command, and what its answer must hold.
Asked = Callable[[Base], tuple[tuple[str, ...], str]]


def _about(command: str) -> Asked:
    def ask(base: Base) -> tuple[tuple[str, ...], str]:
        middle = base.person("middles")
        return (command, middle["id"]), middle["name"]

    return ask


def _find(field: str) -> Asked:
    def ask(base: Base) -> tuple[tuple[str, ...], str]:
        middle = base.person("middles")
        return ("find", middle[field]), middle["id"]

    return ask


def _paths(base: Base) -> tuple[tuple[str, ...], str]:
    """Ask for the paths of a pair that is as far apart as is asked."""
    one, other = base.connected_pairs(HOPS)[HOPS - 2]
    return ("paths", one, other, "--max-hops", str(HOPS)), "1. "


QUESTIONS: dict[str, Asked] = {
    "neighbors": _about("neighbors"),
    "timeline": _about("timeline"),
    "facts": _about("facts"),
    "find by id": _find("id"),
    "find by key": _find("key"),
    "find by name": _find("name"),
    f"paths ≤ {HOPS}": _paths,
}


@cache
def cold(asked: Asked, freshness: int) -> Measured:
    """Measure a question in a process of its own; the same arguments give the same function."""

    def run(bench: Bench, base: Base) -> Figure:
        base.set_freshness(freshness)
        arguments, says = asked(base)
        return bench.time_kb(base, *arguments, says=says)

    return run


def import_click(bench: Bench, base: Base) -> Figure:
    """Measure C, ``python -c "import click"``: a command line that does nothing."""
    return bench.time_command(base, bench.python("-c", "import click"))


def sweep(bench: Bench, base: Base) -> Figure:
    """Measure C that also looks at each file."""
    return bench.time_program(base, "import_click.py", "--sweep", "entities", "observations")


def _at_small(asked: Asked) -> Measured:
    """Measure the same question where there is little to read."""

    def run(bench: Bench, _base: Base) -> Figure:
        return cold(asked, TRUSTED)(bench, bench.base(SMALL))

    return run


def _cold_rows() -> Iterator[Spec]:
    questions = [(_id_part(name), name, asked) for name, asked in QUESTIONS.items()]
    for id, name, asked in questions:
        target = Target(1.5, 1.3, peak=48 * MEGA)
        yield Spec(f"cold/{id}", f"`{name}`, in a burst", "C", cold(asked, TRUSTED), import_click, target)  # fmt: skip
    for id, name, asked in questions:
        what, sizes, small = f"`{name}`, growth", (SMALL + 1, 10**9), f"at {SMALL:,}"
        yield Spec(f"growth/{id}", what, small, cold(asked, TRUSTED), _at_small(asked), Target(1.2), sizes)  # fmt: skip
    for id, name, asked in questions:
        what, target = f"`{name}`, sweeping", Target(1.3, 1.1)
        yield Spec(f"swept/{id}", what, "C + sweep", cold(asked, 0), sweep, target)


def _id_part(name: str) -> str:
    """Make a question's part of an id: ``find by id`` is ``find-id``."""
    return name.replace(f" ≤ {HOPS}", "").replace(" by ", "-")


# -- paths in one process --------------------------------------------------------------------------


#: Ends of paths to look for.
Pairs = Callable[[Base], list[tuple[str, str]]]


def _low_pairs(base: Base) -> list[tuple[str, str]]:
    """Pairs of entities of low and of middle degree."""
    return base.connected_pairs(HOPS)


def _hub_pairs(base: Base) -> list[tuple[str, str]]:
    """Pairs of a hub and an entity of low degree."""
    return [
        (hub["id"], low["id"]) for hub in base.examples("hubs") for low in base.examples("lows")[:6]
    ]


def warm_kb(pairs: Pairs) -> Measured:
    """Measure paths of pairs in a process of kb."""
    return lambda bench, base: bench.time_warm_kb(base, pairs(base), HOPS)


def warm_peer(library: str, pairs: Pairs) -> Measured:
    """Measure paths of pairs in a process of a library for graphs."""
    return lambda bench, base: bench.time_warm_peer(library, base, pairs(base), HOPS)


#: Shared by the rows that compare it.
_WARM_LOW = warm_kb(_low_pairs)


def _warm_rows() -> Iterator[Spec]:
    target = Target(1.0, p95=0.010)
    low, hub = (
        f"warm `paths ≤ {HOPS}`, {which}"
        for which in ("low and middle degrees", "a hub at one end")
    )
    yield Spec("warm/low", low, "rustworkx", _WARM_LOW, warm_peer("rustworkx", _low_pairs), target)
    yield Spec("warm/hub", hub, "rustworkx", warm_kb(_hub_pairs), warm_peer("rustworkx", _hub_pairs), target)  # fmt: skip


# -- full text, rebuilding, checking ---------------------------------------------------------------


def _search_question(base: Base) -> tuple[tuple[str, ...], str]:
    middle = base.person("middles")
    return ("search", middle["name"]), middle["name"]


def _whoosh_build(bench: Bench, base: Base) -> Callable[[str], list[str]]:
    documents = base.exported("documents.jsonl")
    return lambda place: bench.peer("whoosh", "whoosh_peer.py", "build", documents, place)


def whoosh_search(bench: Bench, base: Base) -> Figure:
    """Measure a search in an index of stock Whoosh."""
    place = bench.prepared(base, "whoosh", _whoosh_build(bench, base))
    words = base.person("middles")["name"]
    command = bench.peer("whoosh", "whoosh_peer.py", "search", place, words)
    return bench.time_command(base, command)


def whoosh_rebuild(bench: Bench, base: Base) -> Figure:
    """Measure how long stock Whoosh takes to index the documents."""
    command = _whoosh_build(bench, base)(str(base.beside("whoosh-again")))
    return bench.time_command(base, command, is_long=True)


def rebuild_graph(bench: Bench, base: Base) -> Figure:
    """Measure how long the graph takes; where it has no file yet, a question about all of it."""
    base.set_freshness(TRUSTED)
    if bench.can_rebuild("--graph"):
        return bench.time_kb(base, "rebuild", "--full", "--graph", is_long=True)
    return bench.time_kb(base, "stats", is_long=True)


def rebuild_all(bench: Bench, base: Base) -> Figure:
    """Measure how long all that is derived takes."""
    base.set_freshness(TRUSTED)
    return bench.time_kb(base, "rebuild", "--full", is_long=True)


def read_files(bench: Bench, base: Base) -> Figure:
    """Measure how long it takes to read each file once."""
    arguments = ("--read", "entities", "observations")
    return bench.time_program(base, "import_click.py", *arguments, is_long=True)


def check_all(bench: Bench, base: Base) -> Figure:
    """Measure a check of everything."""
    base.set_freshness(0)
    return bench.time_kb(base, "check", is_long=True)


def _text_rows() -> Iterator[Spec]:
    search = cold(_search_question, TRUSTED)
    yield Spec("search/name", "`search` of a name, in a burst", "stock Whoosh", search, whoosh_search, Target(0.7, 0.5, peak=80 * MEGA))  # fmt: skip
    yield Spec("rebuild/graph", "`rebuild` of the graph", "reading all files", rebuild_graph, read_files, Target(16, 12))  # fmt: skip
    yield Spec("rebuild/text", "`rebuild` with full text", "stock Whoosh", rebuild_all, whoosh_rebuild, Target(0.55, 0.2))  # fmt: skip
    yield Spec("check/all", "`check` of everything", "`rebuild` of the graph", check_all, rebuild_graph, Target(1.5), (1, 10_000))  # fmt: skip


# -- after an edit ---------------------------------------------------------------------------------


@contextmanager
def edited(path: Path) -> Iterator[Callable[[], None]]:
    """Give what edits a file, differently each time; the file is as before at the end."""
    before = path.read_bytes()
    count = 0

    def edit() -> None:
        nonlocal count
        count += 1
        path.write_bytes(before + f"\nEdited, edition {count}.\n".encode())

    try:
        yield edit
    finally:
        path.write_bytes(before)


def after_edit(asked: Asked) -> Measured:
    """Measure a question right after each edit of the file that it is about."""

    def run(bench: Bench, base: Base) -> Figure:
        base.set_freshness(0)
        arguments, says = asked(base)
        with edited(base.root / base.person("middles")["path"]) as edit:
            return bench.time_kb(base, *arguments, says=says, before=edit)

    return run


def _edited_rows() -> Iterator[Spec]:
    for id, asked, target in (
        ("neighbors", QUESTIONS["neighbors"], Target(1.5)),
        ("search", _search_question, Target(2.0)),
    ):
        what = f"`{id}` after an edit"
        ours, theirs = after_edit(asked), cold(asked, 0)
        yield Spec(f"edited/{id}", what, "unedited", ours, theirs, target, (1, 10_000))


# -- look-ups --------------------------------------------------------------------------------------


def who_links(bench: Bench, base: Base) -> Figure:
    """Measure the question who links to an entity."""
    base.set_freshness(TRUSTED)
    middle = base.person("middles")
    arguments = ("neighbors", middle["id"], "--direction", "in", "--include-ended", "--limit", "0")
    return bench.time_kb(base, *arguments, says=middle["name"])


def grep_for_id(bench: Bench, base: Base) -> Figure:
    """Measure how long ripgrep takes to find an id in all entity files."""
    command = [bench.peers.searcher(), "-F", base.person("middles")["id"], "entities"]
    return bench.time_command(base, command)


def memory_lookup(bench: Bench, base: Base) -> Figure:
    """Measure a warm call of the MCP memory server."""
    return bench.time_memory_server(base, base.person("middles")["id"])


def _lookup_rows() -> Iterator[Spec]:
    find = cold(QUESTIONS["find by key"], TRUSTED)
    yield Spec("links/who", "who links to X, in a burst", "`rg -F`", who_links, grep_for_id, Target(0.2))  # fmt: skip
    yield Spec("lookup/one", "one look-up, a whole process, in a burst", "MCP memory server, warm call", find, memory_lookup, Target(0.05))  # fmt: skip


# -- for information -------------------------------------------------------------------------------


def fts5_search(bench: Bench, base: Base) -> Figure:
    """Measure a search in SQLite's full text."""
    documents, words = base.exported("documents.jsonl"), base.person("middles")["name"]
    place = bench.prepared(
        base, "fts5", lambda place: bench.program("fts5_peer.py", "build", documents, place)
    )
    return bench.time_program(base, "fts5_peer.py", "search", place, words)


def ladybug_neighbors(bench: Bench, base: Base) -> Figure:
    """Measure a question for neighbours in an embedded graph database, a whole process."""
    edges, id = base.exported("edges.jsonl"), base.person("middles")["id"]

    def build(place: str) -> list[str]:
        return bench.peer("ladybug", "ladybug_peer.py", "build", edges, place)

    place = bench.prepared(base, "ladybug", build)
    return bench.time_command(
        base, bench.peer("ladybug", "ladybug_peer.py", "neighbors", place, id)
    )


def _information_rows() -> Iterator[Spec]:
    search = cold(_search_question, TRUSTED)
    neighbors = cold(QUESTIONS["neighbors"], TRUSTED)
    yield Spec("information/fts5", "`search` of a name, in a burst", "SQLite FTS5", search, fts5_search)  # fmt: skip
    yield Spec("information/networkx", f"warm `paths ≤ {HOPS}`, low and middle degrees", "networkx", _WARM_LOW, warm_peer("networkx", _low_pairs))  # fmt: skip
    yield Spec("information/ladybug", "`neighbors`, in a burst", "ladybug, a process", neighbors, ladybug_neighbors)  # fmt: skip


# -- writing ---------------------------------------------------------------------------------------

MAILS = 10_000
#: Mails a second that are asked for.
MAIL_RATE = 300


def relate(bench: Bench, base: Base) -> Figure:
    """Measure one relation that is said: resolved, locked, written and flushed. It is undone before the next run."""
    base.set_freshness(0)
    one, other = (base.examples("lows")[number]["id"] for number in (0, 1))
    command = ("relate", one, "-p", "similar-to", "--target", other, "--said", "They are alike.")

    def undo() -> None:
        with suppress(Failed):  # nothing to undo before the first
            capture(bench.kb("undo"), base.root, bench.variables)

    undo()
    try:
        return bench.time_kb(base, *command, before=undo)
    finally:
        undo()


def ingest(bench: Bench, base: Base) -> Figure:
    """Measure taking in many mails, into a copy: reading, attaching people, writing and flushing."""
    with TemporaryDirectory(prefix="kb-bench-") as place:
        root, mails = Path(place) / "kb", Path(place) / "mails"
        shutil.copytree(base.root, root)
        write_mails(mails, MAILS, [one["key"] for one in base.examples("lows")])
        capture(bench.kb("stats"), root, bench.variables)
        command = bench.kb("ingest", str(mails))
        return measure(command, root, Effort(1, 0), bench.variables)


def asked_mail_rate(bench: Bench, base: Base) -> Figure:
    """Give how long the mails may take."""
    return Figure(MAILS / MAIL_RATE)


#: Writers at once, statements that each of them says, and how often one says it again that is refused.
WRITERS, EACH, _PATIENCE = 8, 50, 50


@cache
def write_at_once(writers: int) -> Measured:
    """Measure writers who all say facts of one entity at the same time, into a copy, a process for each fact.

    One who is refused, since others held the lock for too long, says it again. All that was acknowledged is looked for.
    """

    def run(bench: Bench, base: Base) -> Figure:
        id = base.person("middles")["id"]
        with TemporaryDirectory(prefix="kb-bench-") as place, ThreadPoolExecutor(writers) as pool:
            root = Path(place) / "kb"
            shutil.copytree(base.root, root)
            capture(bench.kb("stats"), root, bench.variables)
            start = time.perf_counter()
            said = pool.map(lambda writer: _say(bench, root, id, writer), range(writers))
            acknowledged = [one for ids in said for one in ids]
            seconds = (time.perf_counter() - start) * WRITERS / writers
            shown = capture(bench.kb("facts", id, "--limit", "0", "--json"), root, bench.variables)
        lost = [one for one in acknowledged if f'"{one}"' not in shown]
        return Figure(seconds, lost=len(lost))

    return run


def _say(bench: Bench, root: Path, id: str, writer: int) -> list[str]:
    """Say facts one after another; give the ids of the statements that were acknowledged."""
    ids: list[str] = []
    for number in range(EACH):
        value = f"what {writer} said, {number}"
        command = bench.kb("fact", id, "decided", value, "--said", f"I say {value}.", "--json")
        for attempt in range(_PATIENCE):
            try:
                done = json.loads(capture(command, root, bench.variables))
            except Failed:
                if attempt == _PATIENCE - 1:
                    raise
            else:
                ids += [one["id"] for one in done["statements"]]
                break
    return ids


def _writing_rows() -> Iterator[Spec]:
    neighbors = cold(QUESTIONS["neighbors"], 0)
    for target, sizes in ((Target(2.5), (1, 10_000)), (Target(3.0), (10_001, 10**9))):
        id = "write/relate" if sizes[0] == 1 else "write/relate-large"
        yield Spec(id, "one `relate`", "cold `neighbors`", relate, neighbors, target, sizes)
    what = f"{MAILS:,} mails ingested"
    peer = f"{MAIL_RATE} a second"
    yield Spec("write/ingest", what, peer, ingest, asked_mail_rate, Target(1.0), (1, SMALL))
    what = f"{WRITERS} writers × {EACH} statements on one entity"
    many, one = write_at_once(WRITERS), write_at_once(1)
    target = Target(lost=0)
    yield Spec("write/many", what, "one after another", many, one, target, (1, SMALL), is_long=True)


SPECS: tuple[Spec, ...] = (
    *_cold_rows(),
    *_warm_rows(),
    *_text_rows(),
    *_edited_rows(),
    *_lookup_rows(),
    *_information_rows(),
    *_writing_rows(),
)
