"""Commits some files, and leaves all else as it was: in the index, and in what the user has begun."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kb.store.derived import derived_folder
from kb.store.git import ask_git, blob_id
from kb.store.references import find_git_dir, head_commit
from kb.store.writes import HELD_BY, TEMPORARY_PREFIX, TEMPORARY_SUFFIX

if TYPE_CHECKING:
    from git.exc import GitCommandError

#: How ``git ls-files -v`` marks an entry that is neither in conflict nor to be left as it is.
_PLAIN = "H"
#: The mode of a file that is not there.
_NO_FILE = "000000"
#: What the user has begun, by what is in git's folder meanwhile. A commit would be a part of it, or its end, and go with it.
_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase, or git am,",
}
_NONE_IGNORED = 1  #: the status of ``git check-ignore``
#: Lines of a hook's that are shown: the last ones, where most say what to do.
_MOST_LINES = 20
#: The file in which git writes down what it runs.
_EVENTS = "events"


class _Files(NamedTuple):
    """The files to be committed, as they are on disk."""

    added: tuple[str, ...]
    gone: tuple[str, ...]  #: none is there, or a folder is

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.added, *self.gone)


class _Index(NamedTuple):
    """What git's index holds of some files, and of what must give way to them. Paths begin at the top of the work tree."""

    prefix: str  #: what stands before the root's own paths
    entries: dict[str, tuple[str, ...]]  #: ``<mode> <id> <stage>`` of each that a path has
    announced: frozenset[str]  #: by ``git add --intent-to-add``, without their contents
    is_plain: bool  #: none of the files is in conflict, or marked to be left as it is


def commit_files(root: str, paths: tuple[str, ...], message: str) -> tuple[str, str]:
    """Commit some files as they are, and nothing else that is staged or changed; give the commit's id, or why there is none.

    Neither is given where HEAD has the files as they are. The user's own identity, hooks and signing settings hold: it is
    the user's repository. Where git refuses (a hook, a lock, a missing identity), or is interrupted, the files stay as they
    were written, and what was staged of them is staged again. The reason may have several lines: a hook's own words.
    """
    try:  # GitPython refuses to be imported where there is no git program; parts of it stay imported all the same
        from git import Git  # noqa: F401
        from git.exc import GitCommandError
    except ImportError:
        return "", "there is no git program"
    begun = _in_progress(root)
    if begun:
        return "", f"{begun} is in progress"
    files = _look_at(root, paths)
    before, head = _read_index(root, files), head_commit(root)
    try:
        with _folder_beside(root) as folder:
            try:
                _stage_and_commit(root, files, before, head, message, folder)
            except GitCommandError as error:
                is_as_before = _restore_index(root, files, before, head)
                left = (
                    ""
                    if is_as_before
                    else "; what is staged of it stays staged (git restore --staged)"
                )
                return "", _reason(error, os.path.join(folder, _EVENTS)) + left
            except BaseException:
                _restore_index(root, files, before, head)
                raise
    except OSError as error:
        return "", error.strerror or str(error)
    after = head_commit(root)
    return (after if after != head else ""), ""


def unstage_files(root: str, written: Mapping[str, bytes | None]) -> None:
    """Let the index hold of some files what HEAD does, where it holds them as they were written (``None``: as gone).

    A commit that was killed leaves them staged, for the user's next one.
    """
    head = head_commit(root)
    index = _read_index(root, _Files(tuple(written), ()))
    staged = _staged(root) if index is not None else None
    if index is None or staged is None:
        return
    from git.exc import GitCommandError

    lines: list[str] = []
    for path, data in written.items():
        place = index.prefix + path
        ids = [entry.split(" ")[1] for entry in index.entries.get(place, ())]
        if place in staged and ids == ([] if data is None else [blob_id(data, head)]):
            lines.append(staged[place])
    with contextlib.suppress(GitCommandError, OSError):
        _put(root, lines)


def _in_progress(root: str) -> str:
    """Name what the user has begun and not ended; empty where there is nothing."""
    folder = find_git_dir(root) or ""
    found = (
        told for name, told in _IN_PROGRESS.items() if os.path.lexists(os.path.join(folder, name))
    )
    return next(found, "")


def _stage_and_commit(
    root: str,
    files: _Files,
    before: _Index | None,
    head: str,
    message: str,
    folder: str,
) -> None:
    """Stage files and commit them, unless HEAD has them as they are; ``GitCommandError`` where git refuses.

    ``folder`` is for what git and we need meanwhile.
    """
    commit = ("commit", "--quiet", "-m", message)
    variables = {"GIT_TRACE2_EVENT": os.path.join(folder, _EVENTS)}
    # Git compares each pathspec with each path, which takes minutes for many: where nothing speaks against it, files are
    # staged by name, and an index is committed as it is. Else git itself says what it makes of them.
    is_plain = before is not None and before.is_plain and not _is_any_ignored(root, files, before)
    if is_plain:
        _stage(root, files)
    else:
        _run_on_files(root, files.paths, "add", "--all")
    own, staged = _own_places(before, files) if before is not None else None, _staged(root)
    if own is not None and head and staged is not None and staged.keys().isdisjoint(own):
        return
    if not is_plain or own is None or staged is None:
        _run_on_files(root, files.paths, *commit, "--only", variables=variables)
    elif staged.keys() <= own:
        _feed(root, (), *commit, variables=variables)
    else:
        index = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        shutil.copyfile(os.path.join(find_git_dir(root) or "", "index"), *index.values())
        _put(root, [one for place, one in staged.items() if place not in own], index)
        _feed(root, (), *commit, variables={**variables, **index})


# -- what is there -----------------------------------------------------------------------------------------------


def _look_at(root: str, paths: Iterable[str]) -> _Files:
    """Part the files that are there from those that are not, in whose place a folder may be."""
    added: list[str] = []
    gone: list[str] = []
    for path in paths:
        place = os.path.join(root, path)
        is_file = os.path.islink(place) or (os.path.exists(place) and not os.path.isdir(place))
        (added if is_file else gone).append(path)
    return _Files(tuple(added), tuple(gone))


def _read_index(root: str, files: _Files) -> _Index | None:
    """Look at git's index; ``None`` if git cannot say."""
    prefix = ask_git(root, "rev-parse", "--show-prefix")
    listing = ask_git(root, "ls-files", "--stage", "-v", "-z", "--full-name")
    staged_or_announced = _staged(root, "--ita-visible-in-index")
    staged = _staged(root) if staged_or_announced else {}
    if prefix is None or listing is None or staged_or_announced is None or staged is None:
        return None
    prefix = prefix.removesuffix("\n")
    wanted = {prefix + path for path in files.paths}
    added = {prefix + path for path in files.added}
    above = {folder for path in added for folder in _folders_above(path)}
    entries: dict[str, tuple[str, ...]] = {}
    is_plain = True
    for line in listing.split("\0"):
        entry, _, place = line.partition("\t")
        # A file gives way to a folder of its name, and all in a folder to a file.
        if place in wanted or place in above or not added.isdisjoint(_folders_above(place)):
            tag, _, entry = entry.partition(" ")
            entries[place] = (*entries.get(place, ()), entry)
            is_plain = is_plain and tag == _PLAIN
    announced = frozenset(staged_or_announced.keys() - staged.keys())
    return _Index(prefix, entries, announced, is_plain)


def _folders_above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _own_places(index: _Index, files: _Files) -> set[str]:
    """Give the paths of the files and of what must give way to them, from the top of the work tree."""
    return {*index.entries, *(index.prefix + path for path in files.paths)}


def _staged(root: str, *options: str) -> dict[str, str] | None:
    """Map the path, from the top of the work tree, of what differs from HEAD in the index to a line for ``_put``: HEAD's entry.

    ``None`` if git cannot say.
    """
    whole = ("--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "-z")
    told = ask_git(root, "-c", "diff.relative=false", "diff", "--cached", *whole, *options)
    if told is None:
        return None
    fields = told.split("\0")
    staged: dict[str, str] = {}
    for meta, place in zip(fields[::2], fields[1::2], strict=False):  # the last one is empty
        mode, _, id, _, _ = meta.removeprefix(":").split(" ")
        staged[place] = f"{mode} {id} 0\t{place}"
    return staged


def _is_any_ignored(root: str, files: _Files, index: _Index) -> bool:
    """Say whether git ignores some files that are not in the index, and would refuse to add them."""
    from git.exc import GitCommandError

    new = [f"./{path}" for path in files.added if index.prefix + path not in index.entries]
    try:
        if new:
            _feed(root, new, "check-ignore", "--no-index", "-z", "--stdin")
    except GitCommandError as error:
        return bool(error.status != _NONE_IGNORED)
    return bool(new)


# -- the index ---------------------------------------------------------------------------------------------------


def _stage(root: str, files: _Files) -> None:
    """Stage files by name, whatever must give way; ``GitCommandError`` where git refuses."""
    for paths, options in (
        (files.gone, ("--force-remove",)),
        (files.added, ("--add", "--remove", "--replace")),
    ):
        if paths:
            _feed(root, paths, "update-index", *options, "-z", "--stdin")


def _restore_index(root: str, files: _Files, before: _Index | None, head: str) -> bool:
    """Where nothing was committed, let the index hold of some files, and of what gave way to them, what it held; say if it does.

    What was staged for a commit would otherwise be in the user's next one, even after an undo.
    """
    from git.exc import GitCommandError

    now = _read_index(root, files) if before is not None and head_commit(root) == head else None
    if before is None or now is None:
        return head_commit(root) != head
    lines: list[str] = []
    announced: list[str] = []
    for place in _own_places(before, files):
        old, new = before.entries.get(place, ()), now.entries.get(place, ())
        if old == new:
            continue
        length = len((old or new)[0].split(" ")[1])
        lines.append(f"{_NO_FILE} {'0' * length} 0\t{place}")
        if place in before.announced:
            announced.append(place.removeprefix(before.prefix))
        else:
            lines += [f"{entry}\t{place}" for entry in old]
    try:
        _put(root, lines)
        if announced:
            _run_on_files(root, announced, "add", "--intent-to-add")
    except (GitCommandError, OSError):
        return False
    return True


def _put(root: str, lines: Iterable[str], variables: Mapping[str, str] | None = None) -> None:
    """Let an index hold some entries, ``<mode> <id> <stage>``, a tab and the path; ``GitCommandError`` where git refuses."""
    # What goes, goes first: it may be a file where a folder comes.
    ordered = sorted(lines, key=lambda line: not line.startswith(_NO_FILE))
    if ordered:
        _feed(root, ordered, "update-index", "-z", "--index-info", variables=variables)


# -- git ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _folder_beside(root: str) -> Iterator[str]:
    """Make a folder beside what is derived, for as long as it is needed; what a killed process leaves is swept."""
    derived = derived_folder(root)
    os.makedirs(derived, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(TEMPORARY_SUFFIX, TEMPORARY_PREFIX, derived) as folder:
        yield folder


def _run_on_files(
    root: str,
    paths: Iterable[str],
    *command: str,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Run git on some files, however many; ``GitCommandError`` where it fails."""
    from_input = ("--pathspec-from-file=-", "--pathspec-file-nul")
    _feed(root, paths, "--literal-pathspecs", *command, *from_input, variables=variables)


def _feed(
    root: str, lines: Iterable[str], *command: str, variables: Mapping[str, str] | None = None
) -> None:
    """Run git as the user has set it up, with lines to read that end with a zero byte; ``GitCommandError`` where it fails."""
    from git import Git

    environment = {HELD_BY: str(os.getpid()), **(variables or {})}
    with tempfile.TemporaryFile() as file:
        file.write("".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape"))
        file.seek(0)
        Git(root).execute(["git", "-C", root, *command], istream=file, env=environment)


def _reason(error: "GitCommandError", events: str) -> str:
    """Say why git failed: a hook with what it said, the last lines of it, indented; else git's own line."""
    # GitPython puts this around what was said.
    said = str(error.stderr).strip().removeprefix("stderr: '").removesuffix("'")
    lines = [line.rstrip() for line in said.splitlines() if line.strip()]
    hook = _refusing_hook(events)
    if hook:
        left_out = ["…"] if len(lines) > _MOST_LINES else []
        told = f"the {hook} hook refused it" + (":" if lines else ", and said nothing")
        return "\n    ".join((told, *left_out, *lines[-_MOST_LINES:]))
    own = next((line for line in lines if line.startswith(("fatal:", "error:"))), None)
    if own is None and len(lines) > 1 and lines[0].endswith(":"):
        own = f"{lines[0]} {lines[1].strip()}"  # the first of those that are listed
    return (own or (lines[0] if lines else f"git failed with status {error.status}")).strip()


def _refusing_hook(events: str) -> str:
    """Give the name of the hook that failed last, by git's own record of what it ran; empty where none did."""
    running: dict[int, str] = {}
    refusing = process = ""
    with contextlib.suppress(OSError, ValueError, KeyError), open(events, "rb") as file:
        for line in file:
            event = json.loads(line)
            process = process or event["sid"]
            if event["sid"] != process:  # a hook's own call of git
                continue
            if event["event"] == "child_start" and "hook_name" in event:
                running[event["child_id"]] = event["hook_name"]
            elif event["event"] == "child_exit" and event["code"]:
                refusing = running.get(event["child_id"], refusing)
    return refusing
