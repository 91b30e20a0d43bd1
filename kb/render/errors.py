"""A request that was not done → JSON."""

import json

from kb.errors import ErrorCode


def error_as_json(code: ErrorCode, message: str, hint: str) -> str:
    """Give the one object that stands for an answer: ``{"error": {code, message, hint, exit_status}}``."""
    error = {
        "code": code.kebab,
        "message": message,
        "hint": hint or None,
        "exit_status": int(code.exit_code),
    }
    return json.dumps({"error": error}, ensure_ascii=False, indent=2)
