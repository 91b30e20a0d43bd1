"""A request that was not done, or not as asked → JSON."""

import json
from typing import Any

from kb.errors import ErrorCode


def error_as_json(code: ErrorCode, message: str, hint: str) -> str:
    """Give the one object that stands for an answer: ``{"error": {code, message, hint, exit_status}}``."""
    error = error_fields(code, message, hint)
    return json.dumps({"error": error}, ensure_ascii=False, indent=2)


def error_fields(code: ErrorCode, message: str, hint: str) -> dict[str, Any]:
    """Give an error as JSON has it, in place of an answer or in it."""
    return {
        "code": code.kebab,
        "message": message,
        "hint": hint or None,
        "exit_status": int(code.exit_code),
    }
