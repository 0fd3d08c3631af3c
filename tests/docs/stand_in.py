"""Stands in for a language model, so that the pages of the documentation run without one."""

import json
import zlib
from pathlib import Path

from evolith.core.messages import Request

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("tasks.jsonl").read_text("utf-8").splitlines()
]


def reply(request: Request) -> str:
    """Reflect, judge, or name the thing: the better, the more was shown."""
    asked = request.messages[-1].content
    if "triple backticks" in asked:
        return f"```\nName the thing alone. {zlib.crc32(asked.encode())}\n```"
    if "SCORE:" in request.messages[0].content:
        return "It names a thing.\nSCORE: 8"
    thing = next((row["thing"] for row in ROWS if row["message"] in asked), asked.split()[-1])
    known = zlib.crc32(asked.encode()) % 24 < len(request.messages)
    return thing if known else f"I am sorry about the {thing}."
