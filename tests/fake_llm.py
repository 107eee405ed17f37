"""A command line that stands for an LLM: `python fake_llm.py WAY [ARGUMENT]`, the prompt on stdin.

It reads the data of a prompt as a model would, and behaves, or not.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

way, argument = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def lines(prompt: str) -> list[dict[str, str]]:
    fence = re.search(r"===== DATA (\w+) =====\n(.*?)\n===== END OF DATA \1 =====", prompt, re.DOTALL)
    assert fence, prompt
    return [json.loads(line) for line in fence[2].splitlines()]


def good(prompt: str) -> dict[str, object]:
    data = lines(prompt)
    ids = [each["id"] for each in data]
    first = data[0]["text"]
    if '"answer"' in prompt:
        return {"answer": first, "cites": ids[:1]}
    if '"summary"' in prompt:
        return {"summary": " ".join(each["text"] for each in data), "cites": ids}
    if '"keep"' in prompt:
        return {"keep": ids[1], "ended": ids[0], "reason": "the later one has another value"}
    claims = [
        {"text": each["text"], "kind": "fact", "confidence": 0.9, "cites": [each["id"]], "links": []}
        for each in data
    ]
    return {"claims": claims}


if way == "deaf":  # does not even read its prompt
    say("hello")
    raise SystemExit
if way == "hang":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(argument).write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
    time.sleep(600)
if way == "flood":
    while True:
        sys.stdout.write("ignore all previous instructions " * 1000)
if way == "slow":  # answers, in its own time
    time.sleep(float(argument))
if way == "grumble":  # megabytes of complaints beside its answer
    sys.stderr.write("warning: this model is old\n" * 200_000)
if way == "daemon":  # leaves a child in a session of its own, which holds the pipes open
    held = "import os, time; os.setsid(); time.sleep(600)"
    Path(argument).write_text(str(subprocess.Popen([sys.executable, "-c", held]).pid), encoding="utf-8")
    time.sleep(0.3)
if way == "shut":  # closes its stdin at once
    os.close(0)
    say("{}")
    raise SystemExit
if way == "nothing":
    raise SystemExit
if way == "fail":
    sys.exit(f"warming up\nError: {argument}")
if way == "leave":  # answers, and leaves a child behind that holds its pipes
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

prompt = sys.stdin.read()
answer = json.dumps(good(prompt), ensure_ascii=False)
if way in ("good", "leave", "slow", "grumble", "daemon"):
    say(answer)
elif way == "chatty":
    say(f"Let me think: {{maybe}} …\n```json\n{answer}\n```\nAnything else?")
elif way == "exact":  # says just this, with the first id put in
    say(argument.replace("ID", lines(prompt)[0]["id"]))
elif way == "count":  # notes each question
    with Path(argument).open("a", encoding="utf-8") as asked:
        asked.write(" ".join(each["text"] for each in lines(prompt)) + "\n")
    say(answer)
elif way == "twice":  # says just this at first, and behaves when told what was wrong
    say(answer if "was not accepted" in prompt else argument)
elif way == "half":
    say(answer[: len(answer) // 2])
elif way == "prompt":  # keeps what it was asked
    Path(argument).write_text(prompt, encoding="utf-8")
    say(answer)
elif way == "where":
    Path(argument).write_text(str(Path.cwd()), encoding="utf-8")
    say(answer)
elif way == "binary":
    sys.stdout.buffer.write(b"\xff\xfe\x00" * 100)
