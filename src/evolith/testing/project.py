"""A small project to run: the model is a Python function, so each run gives the same archive."""

import json
from pathlib import Path

SHELVES = {"fruit": "low", "tool": "high", "toy": "left", "book": "right", "cup": "top"}
"""The answer of each sort of task."""

CONFIG = """\
name = "shelves"

[tasks]
file = "tasks.jsonl"
split = { train = 10, val = 10, test = 10 }

[artifact.files]
"prompt.md" = "Say on which shelf it belongs.\\n"

[models]
task = "function:world:answer"
reflect = "function:world:reflect"

[algorithm]
kind = "gepa"
proposals = 8
merge = { most = 0 }
"""

WORLD = '''\
"""The model knows where a sort belongs once the prompt says so; the other adds what is missing."""

import re
import time

SHELVES = {shelves}
PAUSE = {pause}


def answer(request):
    time.sleep(PAUSE)
    prompt, sort = request.messages[0].content, request.messages[-1].content.split()[0]
    return SHELVES[sort] if f"{{sort}}: {{SHELVES[sort]}}" in prompt else "unknown"


def reflect(request):
    time.sleep(PAUSE)
    asked = request.messages[-1].content
    text = asked.split("```")[1].strip()
    for sort in re.findall(r"^Task \\d+:\\n(\\w+)", asked, re.MULTILINE):
        if f"{{sort}}: " not in text:
            return f"```\\n{{text}}\\n{{sort}}: {{SHELVES[sort]}}\\n```"
    return f"```\\n{{text}}\\n```"
'''


def write_project(folder: Path, pause: float = 0.0) -> None:
    """Write a config, 30 tasks and the model, ready for `evolith run evolith.toml`.

    Args:
        folder: Where to; made here.
        pause: Seconds that each call of the model takes.
    """
    folder.mkdir(parents=True)
    sorts = list(SHELVES)
    rows = [{"input": f"{sorts[n % 5]} {n}", "answer": SHELVES[sorts[n % 5]]} for n in range(30)]
    texts = {
        "evolith.toml": CONFIG,
        "tasks.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
        "world.py": WORLD.format(shelves=SHELVES, pause=pause),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
