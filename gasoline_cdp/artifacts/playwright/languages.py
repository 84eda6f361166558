"""The languages of generated scripts, and the endings of their files."""

from typing import Literal

Language = Literal["typescript", "javascript", "python"]
# `steps`: numbered sentences for people.
ScriptForm = Literal["typescript", "javascript", "python", "steps"]
SUFFIXES: dict[ScriptForm, str] = {"typescript": ".ts", "javascript": ".js", "python": ".py", "steps": ".txt"}
