"""Files that would be entities and cannot be read: nobody is made a second time because of them, and nothing is said in silence."""

import json
import os
import socket
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kb.cli.program import program
from kb.edits.new_entity import plan_new
from kb.edits.records import Import
from kb.edits.set_fields import plan_set
from kb.edits.workspace import LeftAlone, Taken
from kb.graph.graph import Graph
from kb.ingest.jsonl import import_jsonl
from kb.knowledge_base import open_for_reading, open_knowledge_base
from kb.queries.mention_resolution import resolve_mention
from kb.queries.unread_files import UnreadFiles, _Text
from tests.conftest import NOW, entity, write_kb
from tests.edits.editing import do, tree
from tests.growth import check_growth, seconds

DANA, KIM = "entities/person/dana.md", "entities/person/kim.md"
KEY = "email:dana@northpeak.example"
WHOLE = entity("dana", "Knows [Kim](kim.md).", name="Dana Reyes", keys=f"[{KEY}, github:dreyes]")


def cut(text: str, at: str) -> bytes:
    """Give what a killed copy leaves of a text: all up to some words, and them."""
    return text[: text.index(at) + len(at)].encode()


#: What may happen to a file that bears the key, each of a kind of its own.
DAMAGES: dict[str, bytes] = {
    "an open quote": WHOLE.replace("name: Dana", 'name: "Dana').encode(),
    "an open list": WHOLE.replace("dreyes]", "dreyes").encode(),
    "an anchor": WHOLE.replace("[email", "[&a email").encode(),
    "a conflict below": (WHOLE + "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n").encode(),
    "a conflict of keys": WHOLE.replace("keys:", f"<<<<<<< HEAD\nkeys: [{KEY}]\n=======\nkeys:").replace("dreyes]\n", "dreyes]\n>>>>>>> other\n").encode(),
    "no opening fence": WHOLE.replace("---\n", "", 1).encode(),
    "no closing fence": cut(WHOLE, "dreyes]"),
    "cut within the key": cut(WHOLE, "email:dana@nor"),
    "cut behind the kind": cut(WHOLE, "email:d"),
    "UTF-16": WHOLE.encode("utf-16"),
    "bytes beside the key": WHOLE.replace("name: ", "name: [\udcff").encode("utf-8", "surrogateescape"),
    "a byte in the key": WHOLE.replace("dana@north", "d\udcffna@north").encode("utf-8", "surrogateescape"),
    "a byte at the key's start": WHOLE.replace("email:dana", "email:\udce4ana").encode("utf-8", "surrogateescape"),
    "bytes at the key's end": WHOLE.replace("peak.example,", "peak.exampl\udcff\udcfe,").encode("utf-8", "surrogateescape"),
    "zeros": WHOLE.replace("dana@", "d\0ana@").encode(),
    "a break in the key": WHOLE.replace("dana@north", "dana@\n  north").replace("name: ", "name: [").encode(),
    "another case and form": WHOLE.replace(KEY, "mailto:DANA@Northpeak.example").replace("name: ", "name: [").encode(),
    "quotes": WHOLE.replace(KEY, f'"{KEY}"').replace("name: ", "name: [").encode(),
    "a near miss of the field": WHOLE.replace("keys:", "Key:").encode(),
    "the field twice": WHOLE.replace("keys:", "keys: [github:dana]\nkeys:").encode(),
    "no kind": WHOLE.replace(KEY, "dana@northpeak.example").encode(),
    "too large": WHOLE.encode() + b"x" * (4 * 1024 * 1024),
}  # fmt: skip


def base(root: Path, data: bytes, more: dict[str, str] | None = None) -> Path:
    """Write Kim, and a file that was Dana's."""
    return write_kb(root, {DANA: data, KIM: entity("kim", name="Kim"), **(more or {})})


def resolve(root: Path, **asked: Any) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Resolve a mention, from the graph file and from the files: verdict, reasons and notes."""
    answers = [
        resolve_mention(opened, **asked)
        for opened in (open_for_reading(str(root), NOW), open_knowledge_base(str(root), NOW))
    ]
    first, second = ((one.results.verdict, one.results.reasons, one.notes) for one in answers)
    assert first == second
    return first


def mail(path: Path, sender: str, id: str = "1") -> Path:
    """Write a mail to Zoe."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, "zoe@x.example", "Hi"
    message["Message-ID"], message["Date"] = f"<{id}@x.example>", "Thu, 22 Oct 2026 09:14:00 +0200"
    message.set_content("Hello.")
    path.write_bytes(message.as_bytes())
    return path


def ingest(root: Path, *paths: Path) -> Any:
    """Ingest files."""
    arguments = ["ingest", *map(str, paths), "--root", str(root), "--json"]
    return json.loads(CliRunner().invoke(program, arguments, standalone_mode=False).stdout)


def import_dana(root: Path, source: Path, address: str = "dana@northpeak.example") -> Import:
    """Import somebody of an address, and a fact of her."""
    ref = "person/dana-r"
    records = (
        {"kind": "entity", "ref": ref, "type": "person", "name": "D.", "keys": {"email": address}},
        {"kind": "fact", "subject": ref, "predicate": "title", "value": "Head"},
    )
    source.write_text("\n".join(map(json.dumps, records)))
    return import_jsonl(open_knowledge_base(str(root), NOW), str(source))


@pytest.mark.parametrize("data", DAMAGES.values(), ids=DAMAGES)
def test_whose_key_may_stand_in_a_damaged_file_is_a_question(tmp_path: Path, data: bytes) -> None:
    """resolve asks, new and set refuse, and ingest leaves the key as it is, each naming the file; mended, all is as it was."""
    root = base(tmp_path / "kb", data)
    verdict, reasons, _ = resolve(root, keys=(KEY,))
    assert verdict == "question"
    assert any(DANA in reason and KEY in reason for reason in reasons)
    before = tree(root)
    for plan, arguments, keys in (
        (plan_new, ("person", "Dan"), {"keys": (KEY,)}),
        (plan_set, ("kim", "key", ("DANA@northpeak.example",)), {}),
    ):
        with pytest.raises(LeftAlone, match=DANA):
            do(root, plan, *arguments, **keys)
    lost = import_dana(root, tmp_path / "a.jsonl")
    assert (lost.made, lost.lost) == ((), 2)  # she, and what is stated of her
    assert any(DANA in one.message and KEY in one.message for one in lost.problems)
    assert tree(root) == before
    done = ingest(root, mail(tmp_path / "a.eml", "Dana R. <dana@northpeak.example>"))
    assert done["entities"] == [{"id": "zoe", "key": "email:zoe@x.example"}]
    assert done["observations"][0]["participants"] == [KEY, "zoe"]
    assert any(DANA in one for one in done["questions"])
    (root / DANA).write_text(WHOLE)
    assert resolve(root, keys=(KEY,))[0] == "existing"
    graph = open_for_reading(str(root), NOW).graph
    assert graph.involving(KEY) == (done["observations"][0]["id"],)
    again = ingest(
        root, tmp_path / "a.eml", mail(tmp_path / "b.eml", "dana@northpeak.example", "2")
    )
    assert [one["participants"] for one in again["observations"]] == [["dana", "zoe"]]
    assert again["entities"] == []


@pytest.mark.parametrize("data", DAMAGES.values(), ids=DAMAGES)
def test_a_key_that_stands_in_no_damaged_file_goes_on_with_a_note(
    tmp_path: Path, data: bytes
) -> None:
    """Another's key is new, and the file that was searched is named."""
    root = base(tmp_path / "kb", data)
    longer = () if b"---" not in data[4:] else ("email:dana@northpeak.example.org",)
    for key in ("email:mia@northpeak.example", "crm:C-1", *longer):
        verdict, _, notes = resolve(root, keys=(key,))
        assert verdict == "new"
        assert any(DANA in note for note in notes)
    done = do(root, plan_new, "person", "Mia", keys=("email:mia@northpeak.example",))
    assert any(DANA in note for note in done.edit.notes)
    done = ingest(root, mail(tmp_path / "a.eml", "Eve <eve@x.example>"))
    assert {one["id"] for one in done["entities"]} == {"eve", "zoe"}
    assert any(DANA in warning for warning in done["warnings"])
    imported = import_dana(root, tmp_path / "a.jsonl", "mona@x.example")
    assert (len(imported.made), imported.lost) == (1, 0)
    assert any(DANA in one.message for one in imported.problems)


#: What may stand in the place of Dana's file, or of a folder with it, and hides what lies behind it.
HIDING: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "a link to nowhere": (DANA, lambda place, _: place.symlink_to("/nowhere/dana.md")),
    "a link to itself": (DANA, lambda place, _: place.symlink_to(place)),
    "a link to a file outside": (DANA, lambda place, outside: place.symlink_to(outside / "d.txt")),
    "a link to a hidden file": (DANA, lambda place, outside: place.symlink_to(place.parent / ".old.md")),
    "a link to a folder outside": ("entities/team", lambda place, outside: place.symlink_to(outside)),
    "a link to a folder that is gone": ("entities/team", lambda place, _: place.symlink_to("/nowhere")),
    "a link of a file's name to a folder": (DANA, lambda place, outside: place.symlink_to(outside)),
    "a pipe": (DANA, lambda place, _: os.mkfifo(place)),
    "a socket": (DANA, lambda place, _: bind(place)),
}  # fmt: skip


def bind(place: Path) -> None:
    """Leave a socket at a place, whose path may be longer than a socket's name."""
    here = os.getcwd()
    os.chdir(place.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def hide(tmp_path: Path, how: str) -> tuple[Path, str]:
    """Write Kim, and in Dana's place what hides her file, which holds her key; give the root and the path."""
    outside = tmp_path / "outside"
    root = write_kb(tmp_path / "kb", {KIM: entity("kim", name="Kim")})
    for place in (outside / "d.txt", root / "entities/person/.old.md"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(WHOLE)
    path, make = HIDING[how]
    make(root / path, outside)
    return root, path


@pytest.mark.parametrize("how", HIDING)
def test_whose_key_may_lie_behind_what_is_no_file_is_a_question(tmp_path: Path, how: str) -> None:
    """A link, a pipe or a socket may hide her, as a damaged file may: nobody is made meanwhile, and the place is named."""
    root, path = hide(tmp_path, how)
    verdict, reasons, _ = resolve(root, keys=(KEY,))
    assert verdict == "question"
    assert any(path in reason and KEY in reason for reason in reasons)
    for plan, arguments, keys in (
        (plan_new, ("person", "Dan"), {"keys": (KEY,)}),
        (plan_set, ("kim", "key", ("DANA@northpeak.example",)), {}),
    ):
        with pytest.raises(LeftAlone, match=path):
            do(root, plan, *arguments, **keys)
    assert import_dana(root, tmp_path / "a.jsonl").made == ()
    done = ingest(root, mail(tmp_path / "a.eml", "Dana R. <dana@northpeak.example>"))
    assert done["observations"][0]["participants"][0] == KEY
    assert "dana" not in {one["id"] for one in done["entities"]}
    assert any(path in one for one in done["questions"])


@pytest.mark.parametrize("how", HIDING)
def test_a_new_one_of_the_name_that_something_hides_is_made_beside_it(
    tmp_path: Path, how: str
) -> None:
    """It gets another id, and what stands in the place is said; an id that is given is refused, and nothing is written over."""
    root, path = hide(tmp_path, how)
    done = do(root, plan_new, "person", "Dana")
    assert any(path in note for note in done.edit.notes)
    if path == DANA:
        assert done.edit.paths == ("entities/person/dana-2.md",)
        with pytest.raises(Taken, match=path):
            do(root, plan_new, "person", "Dana", id="dana")
    assert not (root / path).is_file() or (root / path).is_symlink()


@pytest.mark.parametrize("how", ["a link to a file outside", "a link to a hidden file"])
def test_what_a_link_leads_to_is_searched(tmp_path: Path, how: str) -> None:
    """A key that does not stand there is somebody new's, and a note says what was searched."""
    root, path = hide(tmp_path, how)
    verdict, _, notes = resolve(root, keys=("email:mia@x.example",))
    assert verdict == "new"
    assert any(path in note for note in notes)
    done = ingest(root, mail(tmp_path / "a.eml", "Dana <dana@x.example>"))
    assert {one["id"] for one in done["entities"]} == {"dana-2", "zoe"}
    imported = import_dana(root, tmp_path / "a.jsonl", "mia@x.example")
    assert len(imported.made) == 1


def test_a_folder_that_cannot_be_listed_hides_what_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked for may be there."""
    root = base(tmp_path / "kb", WHOLE.encode(), {"entities/closed/mia.md": entity("mia")})

    def closed(use: Any) -> Any:
        def refuse(path: Any, *arguments: Any, **options: Any) -> Any:
            if str(path).endswith("/closed"):
                raise PermissionError(13, "Permission denied", path)
            return use(path, *arguments, **options)

        return refuse

    monkeypatch.setattr(os, "scandir", closed(os.scandir))
    monkeypatch.setattr(os, "open", closed(os.open))
    verdict, reasons, _ = resolve(root, keys=("email:mia@x.example",))
    assert (verdict, "entities/closed" in reasons[0]) == ("question", True)
    assert resolve(root, keys=(KEY,))[0] == "existing"


def test_links_that_hide_nothing(tmp_path: Path) -> None:
    """What is read where it lies, a picture, hidden names, and folders in a file's name: all that is there is in the graph."""
    root = base(tmp_path / "kb", WHOLE.encode(), {"entities/other.md/x.md": entity("x")})
    (tmp_path / "a.png").write_bytes(b"x")
    (root / "entities/alias.md").symlink_to(root / DANA)
    (root / "entities/people").symlink_to(root / "entities/person")
    (root / "entities/all").symlink_to(root / "entities")
    (root / "entities/a.png").symlink_to(tmp_path / "a.png")
    (root / "entities/.#dana.md").symlink_to("/nowhere")
    assert UnreadFiles(str(root), open_knowledge_base(str(root), NOW).graph).paths == ()
    assert resolve(root, keys=("email:mia@x.example",)) == ("new", ("nobody bears these keys",), ())
    for name in ("Alias", "Other"):
        done = do(root, plan_new, "person", name)
        assert done.edit.paths == (f"entities/person/{name.lower()}-2.md",)
        assert any(f"entities/{name.lower()}.md is a" in note for note in done.edit.notes)


def test_two_files_of_one_id_hide_no_key(tmp_path: Path) -> None:
    """Of two files that claim an id neither is in the graph: their keys are nobody's to give away."""
    other = {"entities/company/dana.md": entity("dana", type="company", name="Dana AG")}
    root = base(tmp_path / "kb", WHOLE.encode(), other)
    assert resolve(root, keys=(KEY,))[0] == "question"
    with pytest.raises(LeftAlone, match=DANA):
        do(root, plan_new, "person", "Dan", keys=(KEY,))


def test_a_name_in_a_damaged_file_is_a_question(tmp_path: Path) -> None:
    """Names decide nothing, and are not new either while a file that may bear one cannot be read."""
    root = base(tmp_path / "kb", DAMAGES["an open list"])
    assert resolve(root, name="dana  REYES")[0] == "question"
    assert resolve(root, name="Dana Rey")[0] == "new"
    done = do(root, plan_new, "person", "Dana Reyes")
    assert any(DANA in note for note in done.edit.notes)


def test_a_card_is_not_parted(tmp_path: Path) -> None:
    """Whoever has one key that may stand in a damaged file is not made anew by another one."""
    root = base(tmp_path / "kb", DAMAGES["an open quote"])
    card = tmp_path / "d.vcf"
    card.write_text(
        "BEGIN:VCARD\nFN:Dana\nEMAIL:dana@private.example\nEMAIL:dana@northpeak.example\nEND:VCARD\n"
    )
    assert ingest(root, card)["entities"] == []


def test_a_bearer_who_is_there_is_meant(tmp_path: Path) -> None:
    """A key that somebody bears is that somebody's; that it stands in a damaged file too is said."""
    also = {"entities/person/dan.md": entity("dan", name="Dan", keys=f"[{KEY}]")}
    root = base(tmp_path / "kb", DAMAGES["an open quote"], also)
    verdict, _, notes = resolve(root, keys=(KEY,))
    assert verdict == "existing"
    assert any(DANA in note for note in notes)


def test_nothing_is_read_where_nothing_is_damaged(tmp_path: Path) -> None:
    """All files that can be read are in the graph."""
    root = base(tmp_path / "kb", WHOLE.encode())
    unread = UnreadFiles("/nowhere", open_knowledge_base(str(root), NOW).graph)
    assert (unread.paths, unread.holding_key(KEY), unread.note()) == ((), (), "")


@given(
    before=st.text(max_size=40), behind=st.text(max_size=40), lost=st.integers(0, 4), at=st.data()
)
def test_a_key_is_found_wherever_it_stands_or_half_stands(
    tmp_path_factory: pytest.TempPathFactory, before: str, behind: str, lost: int, at: Any
) -> None:
    """Between any texts, with up to four characters of its value made bytes that are no UTF-8."""
    start = at.draw(st.integers(len("email:"), len(KEY) - lost))
    damaged = KEY[:start] + "\udcff" * lost + KEY[start + lost :]
    text = f"{before}\n- {damaged}\n{behind}\n".encode("utf-8", "surrogateescape")
    root = tmp_path_factory.mktemp("kb")
    write_kb(root, {DANA: b"\n" + text})
    graph: Graph = open_knowledge_base(str(root), NOW).graph
    assert UnreadFiles(str(root), graph).holding_key(KEY) == (DANA,)


#: What a damaged file may hold over and over.
REPEATED = (
    *("a", " ", ":", "a:", "a-", "@", "a@", "email:", "email: ", "email:a,", "mailto:email:", "orcid:0000 "),
    *("email:dana@northpeak.exampl ", "e m a i l : d a n a ", "email:d\udcff", "\udcff", "Dana Reyes", "[{'"),
)  # fmt: skip


@pytest.mark.parametrize("repeated", REPEATED)
def test_a_damaged_file_is_searched_in_linear_time(tmp_path: Path, repeated: str) -> None:
    """Whatever it holds, and whatever is asked for: keys of each form, whole and long ones, and names."""
    root = base(tmp_path / "kb", WHOLE.encode())
    graph = open_knowledge_base(str(root), NOW).graph
    keys = (KEY, f"email:{'a' * 300}@x.example", "orcid:0000-0002-1825-0097", "crm:a:b", "domain:x.example")  # fmt: skip

    def search(length: int) -> None:
        data = (repeated * (length // len(repeated))).encode("utf-8", "surrogateescape")
        text = _Text(data, graph)
        for key in keys:
            text.holds_key(key, key.startswith("email:"))
        text.holds_name("dana rey")

    check_growth(search, 200_000)
    assert seconds(lambda: search(200_000)) < 1.5


def test_however_much_is_asked_a_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an edit or a run of ingest for all names and keys that it asks about, beside what the graph reads."""
    opened = list[str]()

    def open_counted(path: Any, *arguments: Any, **options: Any) -> int:
        opened.append(str(path))
        return os_open(path, *arguments, **options)

    os_open = os.open
    monkeypatch.setattr(os, "open", open_counted)

    def read_by(step: Callable[[], object]) -> int:
        opened.clear()
        step()
        return sum(path.endswith("dana.md") for path in opened)

    root = base(tmp_path / "kb", DAMAGES["an open list"])
    names = [f"Mia {number}" for number in range(20)]
    others = [f"K {name}" for name in names]
    keys = [f"email:mia{number}@x.example" for number in range(20)]
    mails = [mail(tmp_path / f"{n}.eml", f"Eve <eve{n}@x.example>", str(n)) for n in range(20)]
    for step in (
        lambda: do(root, plan_new, "person", "Mia", aliases=names, keys=keys),
        lambda: do(root, plan_set, "kim", "aliases", others),
        lambda: do(root, plan_set, "kim", "keys", [f"{key}.org" for key in keys]),
        lambda: ingest(root, *mails),
    ):
        assert 1 <= read_by(step) <= 3
