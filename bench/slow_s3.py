"""An S3 server (moto) on loopback that lets every request wait, as a network would: `python -m bench.slow_s3 PORT MILLISECONDS`."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any


def main(port: int, delay_s: float) -> None:
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = DomainDispatcherApplication(create_backend_app)

    def slow(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        time.sleep(delay_s)
        answer: Iterable[bytes] = app(environ, start_response)
        return answer

    class Handler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

    make_server("127.0.0.1", port, slow, threaded=True, request_handler=Handler).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) / 1000)
