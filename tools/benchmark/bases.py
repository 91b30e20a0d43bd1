"""Synthetic knowledge bases in the cache: made once for each size, seed and state of the generator."""

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from .exports import HUB_DEGREE, export
from .pairs import connected_pairs, read_adjacency
from .synthetic.repository import commit_files

GENERATOR = Path(__file__).resolve().parent.parent / "gen_kb"
SEED = 1


@dataclass(frozen=True)
class Base:
    """One knowledge base, and what stands beside it."""

    folder: Path

    @property
    def root(self) -> Path:
        """The knowledge base's root."""
        return self.folder / "kb"

    @cached_property
    def described(self) -> dict[str, Any]:
        """What the generator says of it."""
        described: dict[str, Any] = json.loads((self.folder / "described.json").read_text("utf-8"))
        return described

    @property
    def entities(self) -> int:
        """How many there are."""
        return int(self.described["entities"])

    def examples(self, degree: str) -> list[dict[str, Any]]:
        """Entities of a degree, ``hubs``, ``middles`` or ``lows``: id, name, key, path, relations."""
        found: list[dict[str, Any]] = self.described[degree]
        return found

    def person(self, degree: str) -> dict[str, Any]:
        """The first entity of a degree that has a key of a person."""
        examples = self.examples(degree)
        return next((one for one in examples if one["key"].startswith("email:")), examples[0])

    def connected_pairs(self, hops: int) -> list[tuple[str, str]]:
        """Return ids of entities of low and of middle degree, each with one that is some hops away."""
        place = Path(self.exported("edges.jsonl")).with_name(f"pairs-{hops}.json")
        if not place.exists():
            middles, lows = self.examples("middles"), self.examples("lows")
            starts = [one["id"] for one in (*middles, *lows)]
            adjacent = read_adjacency(place.with_name("edges.jsonl"))
            found = connected_pairs(adjacent, starts, hops, HUB_DEGREE)
            place.write_text(json.dumps(found), "utf-8")
        return [(one, other) for one, other in json.loads(place.read_text("utf-8"))]

    def set_freshness(self, seconds: int) -> None:
        """Set ``freshness`` in ``kb.yaml`` and commit it, so that the work tree has no change."""
        path = self.root / "kb.yaml"
        lines = path.read_text("utf-8").splitlines()
        wanted = [f"freshness: {seconds}" if one.startswith("freshness:") else one for one in lines]
        if wanted != lines:
            path.write_text("\n".join(wanted) + "\n", "utf-8")
            commit_files(self.root, f"Trust a sweep for {seconds} s", ["kb.yaml"])

    def beside(self, name: str) -> Path:
        """Where something made from it lies; its folder is made."""
        (self.folder / "peers").mkdir(exist_ok=True)
        return self.folder / "peers" / name

    def exported(self, name: str) -> str:
        """Return one of the files that peers are given, all made at once on first use."""
        if not self.beside("finished").exists():
            export(self.root, self.folder / "peers", datetime.now(UTC).date())
            self.beside("finished").touch()
        return str(self.beside(name))


class Bases:
    """All knowledge bases of a cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, entities: int) -> Base:
        """Return the one of a size; make it if it is not there, and remove what an older generator made."""
        name = f"{entities}-{SEED}-"
        base = Base(self._folder / f"{name}{_generator_digest()}")
        if not (base.folder / "described.json").exists():
            for stale in self._folder.glob(f"{name}*"):
                shutil.rmtree(stale)
            base.folder.mkdir(parents=True)
            described = ("--describe", str(base.folder / "described.json"))
            count = ("--entities", str(entities), "--seed", str(SEED))
            command = [sys.executable, str(GENERATOR), str(base.root), *count, "--git", *described]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return base


def _generator_digest() -> str:
    """Digest the generator's own text: whatever it made before it was changed is stale."""
    whole = hashlib.sha256()
    for path in sorted(Path(__file__).with_name("synthetic").iterdir()):
        if path.is_file():
            whole.update(path.read_bytes())
    return whole.hexdigest()[:10]
