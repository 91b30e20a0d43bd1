"""Eight processes edit one file while an editor saves it: what was acknowledged is there, and so is what the editor wrote."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from kb.knowledge_base import open_for_reading
from tests.conftest import NOW, REPOSITORY, entity, write_kb

ADA = "entities/person/ada.md"
WRITERS, EACH = 8, 3

#: Says facts of Ada through the command line, one process for each; prints the ids that were acknowledged, and why
#: others were refused.
WRITER = """
import json, subprocess, sys
acknowledged, refused = [], []
for number in range(int(sys.argv[3])):
    done = subprocess.run(
        [sys.executable, "-m", "kb", "fact", "ada", "decided", f"{sys.argv[2]} {number}", "--said", "So.", "--json",
         "--root", sys.argv[1]],
        capture_output=True, text=True)
    if done.returncode == 0:
        acknowledged += [one["id"] for one in json.loads(done.stdout)["statements"]]
    else:
        refused.append(done.stdout + done.stderr)
print(json.dumps([acknowledged, refused]))
"""


def test_acknowledged_means_present(tmp_path: Path) -> None:
    """Every acknowledged statement is in the file, once, and no line of the editor's is lost.

    What was refused is not there, and its writer was told that others were writing.
    """
    root = write_kb(tmp_path / "kb", {ADA: entity("ada", "Text.", "", "## Facts", "")})
    open_for_reading(str(root), NOW)
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(root), f"writer {number}", str(EACH)],
            env=env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    saved = 0
    while any(writer.poll() is None for writer in writers):
        saved += save_as_an_editor(root / ADA, f"Note {saved}.")
        time.sleep(0.2)
    told = [json.loads(writer.communicate()[0]) for writer in writers]
    acknowledged = [id for ids, _ in told for id in ids]
    refused = [why for _, reasons in told for why in reasons]
    text = (root / ADA).read_text(encoding="utf-8")
    found = [one.id for one in open_for_reading(str(root), NOW).graph.about("ada")]
    assert sorted(found) == sorted(acknowledged)
    assert len(acknowledged) + len(refused) == WRITERS * EACH
    assert len(acknowledged) > WRITERS
    assert all("concurrent modification" in why or "another kb process" in why for why in refused)
    assert saved > 0
    assert all(f"Note {number}." in text for number in range(saved))


def save_as_an_editor(path: Path, line: str) -> bool:
    """Read, change and save by renaming, as editors do that look whether the file changed meanwhile."""
    before = path.read_bytes()
    beside = path.with_name(".editor")
    beside.write_bytes(before.replace(b"Text.", f"{line}\nText.".encode(), 1))
    if path.read_bytes() != before:
        return False
    beside.replace(path)
    return True
