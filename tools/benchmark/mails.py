"""Mails to take in: of every size and form that is common, from people of the knowledge base and from others."""

import random
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

_WORDS = [
    "the",
    "pilot",
    "starts",
    "in",
    "March",
    "and",
    "the",
    "licence",
    "ends",
    "with",
    "the",
    "quarter",
    "if",
    "nobody",
    "renews",
    "it",
    "before",
]


def write_mails(folder: Path, count: int, keys: Sequence[str]) -> None:
    """Write mails into a folder, a hundred to a folder in it; the same each time."""
    chance = random.Random(1)
    known = [key.partition(":")[2] for key in keys if key.startswith("email:")] or ["a@x.example"]
    others = [f"person.{number}@company-{number % 400}.example" for number in range(2000)]
    for number in range(count):
        message = EmailMessage()
        message["Message-ID"] = f"<{number}@bench.example>"
        message["Date"] = f"Mon, {1 + number % 28:02} Jun 2026 {number % 24:02}:15:00 +0200"
        message["From"] = f"Some Body <{chance.choice(known)}>"
        message["To"] = ", ".join(chance.sample(others, chance.randint(1, 4)))
        message["Subject"] = " ".join(chance.choices(_WORDS, k=5))
        text = "\n".join(
            " ".join(chance.choices(_WORDS, k=12)) for _ in range(chance.randint(3, 60))
        )
        message.set_content(text)
        if number % 3 == 0:
            message.add_alternative(f"<html><body><p>{text}</p></body></html>", subtype="html")
        path = folder / f"{number // 100:03}" / f"{number:05}.eml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(message.as_bytes())
