"""Reads what documents show: their commands, and what is said to come of them."""

import json
import re
from typing import Any

from attrs import define, field

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$|^<!-- test: (\w+) -->$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"\d+(\.\d+)?")
# An entry has its time in front only if the one above has another.
_TIME = re.compile(r"^\d\d:\d\d:\d\d ")


@define
class Step:
    """Commands that a reader types, or something that the reader does by hand; and the answers shown after it."""

    commands: str = ""
    by_hand: str = ""
    shown: list[tuple[str, str]] = field(factory=list)


def blocks(text: str, language: str) -> list[str]:
    """The blocks of code in one language."""
    return [found[2] for found in _BLOCK.finditer(text) if found[1] == language]


def steps_of(text: str) -> list[Step]:
    """A document as its reader follows it."""
    steps: list[Step] = []
    for found in _BLOCK.finditer(text):
        language, content, by_hand = found.groups()
        if by_hand:
            steps.append(Step(by_hand=by_hand))
        elif language == "sh":
            steps.append(Step(commands=content))
        else:
            steps[-1].shown.append((language, content))
    return steps


def shape(line: str) -> str:
    """A line without what differs from run to run: its time, numbers, and how wide they are."""
    return re.sub(r"[\s─]+", " ", _NUMBER.sub("0", _TIME.sub("", line))).strip()


def differences(shown: Any, answered: Any, where: str = "answer") -> list[str]:
    """What a shortened answer shows that the real one does not have. `…` stands for any text."""
    if isinstance(shown, dict) and isinstance(answered, dict):
        missing = [f"{where} has no {key!r}" for key in shown if key not in answered]
        inner = [differences(shown[key], answered[key], f"{where}.{key}") for key in shown if key in answered]
        return missing + [problem for problems in inner for problem in problems]
    if isinstance(shown, list) and isinstance(answered, list):
        return [
            f"{where} has nothing like {json.dumps(part)}"
            for part in shown
            if not any(differences(part, one) == [] for one in answered)
        ]
    if isinstance(shown, str) and isinstance(answered, str):
        pattern = ".*".join(re.escape(shape(part)) for part in shown.split("…"))
        return [] if re.fullmatch(pattern, shape(answered)) else [f"{where} is {answered!r}, not {shown!r}"]
    if isinstance(shown, int | float) and isinstance(answered, int | float) and not isinstance(shown, bool):
        # Small whole numbers count things; others are measured.
        same = shown == answered or abs(shown) > 999 or isinstance(answered, float)
        return [] if same else [f"{where} is {answered}, not {shown}"]
    return [] if shown == answered else [f"{where} is {answered!r}, not {shown!r}"]
