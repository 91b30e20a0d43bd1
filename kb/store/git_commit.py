"""Commits some files, and leaves all else as it was: in the index, and in what the user has begun."""

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from kb.store.git import ask_git
from kb.store.references import head_commit

#: So many files are named to git one by one; of more, all entries of the index are read.
_FEW = 100
#: How ``git ls-files -v`` marks an entry that is neither in conflict nor to be left as it is.
_PLAIN = "H"
#: While one of these is there, a commit of the index would end what the user has begun.
_IN_PROGRESS = ("MERGE_HEAD", "CHERRY_PICK_HEAD")
_NONE_IGNORED = 1  #: the status of ``git check-ignore``


class _Index(NamedTuple):
    """What git's index holds of some files. Paths begin at the top of the work tree."""

    prefix: str  #: what stands before the root's own paths
    entries: dict[str, tuple[str, ...]]  #: ``<mode> <id> <stage>`` of each that a path has
    announced: frozenset[str]  #: by ``git add --intent-to-add``, without their contents
    is_plain: bool  #: none of the files is in conflict, or marked to be left as it is


def commit_files(root: str, paths: tuple[str, ...], message: str) -> tuple[str, str]:
    """Commit some files as they are, and nothing else that is staged or changed; give the commit's id, or why there is none.

    Neither is given where HEAD has the files as they are. The user's own identity, hooks and signing settings hold: it is
    the user's repository. Where git refuses (a hook, a lock, a missing identity), or is interrupted, the files stay as they
    were written, and what was staged of them is staged again.
    """
    try:
        from git.exc import GitCommandError
    except ImportError:  # GitPython refuses to be imported where there is no git program
        return "", "there is no git program"
    before, head = _read_index(root, paths), head_commit(root)
    try:
        # Git compares each pathspec with each path, which takes minutes for many: where nothing speaks against it, they are
        # staged by name, and the index is committed as it is.
        if before is not None and before.is_plain and not _is_any_ignored(root, paths, before):
            _feed(root, paths, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            is_whole_index = _is_all_staged(root, paths, before.prefix)
        else:
            _run_on_files(root, paths, "add", "--all")
            is_whole_index = False
        if before is not None and head and not _is_any_staged(root, paths, before.prefix):
            return "", ""
        if is_whole_index:
            _feed(root, (), "commit", "--quiet", "-m", message)
        else:
            _run_on_files(root, paths, "commit", "--quiet", "--only", "-m", message)
    except BaseException as error:
        # What was staged for it would otherwise be in the user's next commit, even after an undo.
        if before is not None and head_commit(root) == head:
            with contextlib.suppress(GitCommandError):
                _restore_index(root, paths, before)
        if not isinstance(error, GitCommandError):
            raise
        return "", _reason(str(error.stderr))
    return head_commit(root), ""


def _read_index(root: str, paths: tuple[str, ...]) -> _Index | None:
    """Look at git's index; ``None`` if git cannot say."""
    few = paths if len(paths) <= _FEW else ()
    prefix = ask_git(root, "rev-parse", "--show-prefix")
    listing = ask_git(root, "ls-files", "--stage", "-v", "-z", "--full-name", "--", *few)
    staged_or_announced = _staged(root, "--ita-visible-in-index")
    staged = _staged(root) if staged_or_announced else frozenset()
    if prefix is None or listing is None or staged_or_announced is None or staged is None:
        return None
    prefix = prefix.removesuffix("\n")
    wanted = {prefix + path for path in paths}
    entries: dict[str, tuple[str, ...]] = {}
    is_plain = True
    for line in listing.split("\0"):
        entry, _, place = line.partition("\t")
        if place in wanted:
            tag, _, entry = entry.partition(" ")
            entries[place] = (*entries.get(place, ()), entry)
            is_plain = is_plain and tag == _PLAIN
    return _Index(prefix, entries, staged_or_announced - staged, is_plain)


def _staged(root: str, *options: str) -> frozenset[str] | None:
    """List what differs from HEAD in the index, by its path from the top of the work tree; ``None`` if git cannot say."""
    whole = ("--name-only", "--no-renames", "--ignore-submodules=none", "-z")
    names = ask_git(root, "-c", "diff.relative=false", "diff", "--cached", *whole, *options)
    return None if names is None else frozenset(filter(None, names.split("\0")))


def _is_any_ignored(root: str, paths: tuple[str, ...], index: _Index) -> bool:
    """Say whether git ignores some files that are not in the index, and would refuse to add them."""
    from git.exc import GitCommandError

    new = [f"./{path}" for path in paths if index.prefix + path not in index.entries]
    try:
        if new:
            _feed(root, new, "check-ignore", "--no-index", "-z", "--stdin")
    except GitCommandError as error:
        return bool(error.status != _NONE_IGNORED)
    return bool(new)


def _is_all_staged(root: str, paths: tuple[str, ...], prefix: str) -> bool:
    """Say whether a commit of the index would hold nothing but some files, and end nothing that the user has begun."""
    if any(ask_git(root, "rev-parse", "--quiet", "--verify", name) for name in _IN_PROGRESS):
        return False
    staged = _staged(root)
    return staged is not None and staged <= {prefix + path for path in paths}


def _is_any_staged(root: str, paths: tuple[str, ...], prefix: str) -> bool:
    """Say whether the index holds some of the files otherwise than HEAD; if git cannot say, it may."""
    staged = _staged(root)
    return staged is None or not staged.isdisjoint(prefix + path for path in paths)


def _restore_index(root: str, paths: tuple[str, ...], before: _Index) -> None:
    """Let the index hold of some files what it held before; ``GitCommandError`` where git refuses."""
    now = _read_index(root, paths)
    if now is None:
        return
    lines: list[str] = []
    announced: list[str] = []
    for path in paths:
        place = before.prefix + path
        old, new = before.entries.get(place, ()), now.entries.get(place, ())
        if old == new:
            continue
        length = len((old or new)[0].split(" ")[1])
        lines.append(f"0 {'0' * length}\t{place}")
        if place in before.announced:
            announced.append(path)
        else:
            lines += [f"{entry}\t{place}" for entry in old]
    if lines:
        _feed(root, lines, "update-index", "-z", "--index-info")
    if announced:
        _run_on_files(root, tuple(announced), "add", "--intent-to-add")


def _run_on_files(root: str, paths: tuple[str, ...], *command: str) -> None:
    """Run git on some files, however many; ``GitCommandError`` where it fails."""
    from_input = ("--pathspec-from-file=-", "--pathspec-file-nul")
    _feed(root, paths, "--literal-pathspecs", *command, *from_input)


def _feed(root: str, lines: Iterable[str], *command: str) -> None:
    """Run git as the user has set it up, with lines to read that end with a zero byte; ``GitCommandError`` where it fails."""
    import tempfile

    from git import Git

    with tempfile.TemporaryFile() as file:
        file.write("".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape"))
        file.seek(0)
        Git(root).execute(["git", "-C", root, *command], istream=file)


def _reason(stderr: str) -> str:
    """Give what git said in one line, without what GitPython puts around it."""
    said = stderr.strip().removeprefix("stderr:").strip().strip("'")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith(("fatal:", "error:"))), None) or (
        lines[0] if lines else "git failed"
    )
