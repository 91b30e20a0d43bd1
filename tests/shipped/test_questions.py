"""The questions over the shipped knowledge base are answered as expected."""

import json
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.questions.asking import answer_of, assert_compares, command_of, run_json

QUESTIONS = [
    json.loads(line)
    for line in (REPOSITORY / "questions" / "northpeak.jsonl").read_text("utf-8").splitlines()
    if line
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_shipped_question(question: dict[str, Any]) -> None:
    """Each question of ``questions/`` gets its expected answer through the command line's JSON."""
    answer = run_json(REPOSITORY, *command_of(question["ask"]))
    assert_compares(question["compare"], answer_of(question["ask"], answer), question["expect"])
