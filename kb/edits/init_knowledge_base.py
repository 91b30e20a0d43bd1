"""``kb init``: make a knowledge base in a folder. Adds only what is missing, never overwrites."""

import os
from dataclasses import dataclass
from pathlib import Path

from kb.edits.starter_files import example_files, settings_files
from kb.errors import ErrorCode, KbError
from kb.model.time import civil
from kb.store.git import start_repository
from kb.store.references import find_git_dir
from kb.store.root import CONFIGURATION, ENTITIES, OBSERVATIONS
from kb.store.writes import WriteRefused, create_file, make_folder

_QUESTIONS = "questions"


class AlreadyKnowledgeBase(KbError):
    """There is a ``kb.yaml`` here or in a folder above."""

    code = ErrorCode.TAKEN

    def __init__(self, folder: str, found: str) -> None:
        where = "here" if folder == found else f"in {found}, a folder above"
        super().__init__(
            f"{folder} is in a knowledge base already: there is a kb.yaml {where}",
            f"choose a folder outside {found}, or use what is there: kb check --root {found}",
        )
        self.root = found


@dataclass(frozen=True, slots=True)
class NewKnowledgeBase:
    """What ``kb init`` made."""

    root: str
    made: tuple[str, ...]  #: files, and folders with a final slash, relative to the root
    kept: tuple[str, ...]  #: files that were there already, left as they were
    made_repository: bool
    is_in_git: bool  #: a repository keeps its history, this one's or one above


def init_knowledge_base(
    folder: str, *, now: int, name: str = "", with_git: bool = False
) -> NewKnowledgeBase:
    """Make a knowledge base; ``now`` dates the first observation, the folder's name stands in for ``name``.

    Example files are written only where entities/ and observations/ hold no Markdown yet.
    """
    root = Path(os.path.abspath(folder))
    for candidate in (root, *root.parents):
        if (candidate / CONFIGURATION).exists():
            raise AlreadyKnowledgeBase(str(root), str(candidate))
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteRefused(f"{folder} cannot be made: {error.strerror or error}") from error
    made_repository = with_git and start_repository(str(root))
    made = [
        f"{path}/" for path in (ENTITIES, OBSERVATIONS, _QUESTIONS) if make_folder(str(root), path)
    ]
    is_fresh = not any(any((root / path).rglob("*.md")) for path in (ENTITIES, OBSERVATIONS))
    examples = example_files(civil(now)) if is_fresh else {}
    kept = []
    settings = settings_files(" ".join((name or root.name or "Knowledge").split()))
    # The settings come last: until kb.yaml is there, `kb init` can be run again.
    configuration = settings.pop(CONFIGURATION)
    for path, text in {**settings, **examples, CONFIGURATION: configuration}.items():
        if (root / path).exists() or (root / path).is_symlink():
            kept.append(path)
        else:
            create_file(str(root), path, text.encode("utf-8", "replace"))
            made.append(path)
    is_in_git = find_git_dir(str(root)) is not None
    return NewKnowledgeBase(str(root), tuple(made), tuple(kept), made_repository, is_in_git)
