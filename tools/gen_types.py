"""Print the types of the OpenAPI document of the code as it is. `web/` makes its TypeScript types from it:

python tools/gen_types.py > web/openapi.json && npm --prefix web run gen
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from runglass import __version__
from runglass.query.memory import MemorySource
from runglass.server.dispatch import Api
from runglass.server.openapi import encode_document
from runglass.server.settings import Settings


def main() -> None:
    api = Api(MemorySource(), Settings(version=__version__))
    sys.stdout.buffer.write(encode_document(api.make_document()))


if __name__ == "__main__":
    main()
