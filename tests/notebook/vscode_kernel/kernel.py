"""An IPython kernel behind two pipes: cells come in as lines of JSON, what they show goes out by type, null after each cell."""

from __future__ import annotations

import json
import sys
from typing import Any

from jupyter_client.manager import start_new_kernel

PLAIN = "text/plain"


def answer(value: dict[str, str] | None) -> None:
    print(json.dumps(value), flush=True)


def show(message: dict[str, Any]) -> None:
    content = message["content"]
    match message["msg_type"]:
        case "display_data" | "execute_result":
            answer({kind: text for kind, text in content["data"].items() if isinstance(text, str)})
        case "stream":
            answer({PLAIN: content["text"]})
        case "error":
            answer({PLAIN: "\n".join(content["traceback"])})


manager, client = start_new_kernel()
for line in sys.stdin:
    client.execute_interactive(json.loads(line), output_hook=show)
    answer(None)
manager.shutdown_kernel(now=True)
