"""A running server as something to look at: a frame for each kind of notebook, or an address where there is none.

Knows no processes, and of the notebook only what its environment tells.
"""

from __future__ import annotations

import html
import re
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from runglass.instances import EVERY_ADDRESS, Instance

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Where the notebook is reached from, when it says so: the user's own server behind a hub.
PUBLIC_ADDRESSES = ("JUPYTERHUB_PUBLIC_URL", "JUPYTERHUB_HOST")
PREFIXES = ("JUPYTERHUB_SERVICE_PREFIX", "NB_PREFIX")
PROXIES = ("RUNGLASS_PROXY_URL", "TENSORBOARD_PROXY_URL")
HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?")
STYLE = "width: 100%; border: 1px solid #8884; border-radius: 6px; box-sizing: border-box;"

# Only the browser knows how it reaches the notebook. Through jupyter-server-proxy, the same way leads to the server, whatever
# is in between; without it, the port on the notebook's host does, where it can be reached.
SCRIPT = """async (asked) => {
  const frame = document.getElementById(asked.id);
  const note = frame.nextElementSibling;
  const config = document.getElementById("jupyter-config-data");
  const base = (config && JSON.parse(config.textContent).baseUrl) || document.body.dataset.baseUrl || asked.base;
  const isWeb = location.protocol.startsWith("http");
  const host = asked.host || (isWeb ? location.hostname : "localhost");
  const direct = `http://${host}:${asked.port}${asked.path}`;
  const patience = () => ({ signal: AbortSignal.timeout(10000) });
  const isProxied = async (url) => {
    try {
      const answer = await fetch(`${url}api/status`, { ...patience(), credentials: "same-origin" });
      return answer.ok && typeof (await answer.json()).version === "string";
    } catch {
      return false;
    }
  };
  const isReached = async (url) => {
    try {
      await fetch(`${url}api/status`, { ...patience(), mode: "no-cors" });
      return true;
    } catch {
      return false;
    }
  };
  const tell = (text) => {
    const link = document.createElement("a");
    link.href = direct;
    link.textContent = `http://${host}:${asked.port}${asked.prefix}/`;
    link.target = "_blank";
    link.rel = "noopener";
    note.replaceChildren(text, link);
    note.hidden = false;
    frame.hidden = true;
  };
  if (isWeb && base) {
    const proxied = new URL(`${base.replace(/\\/$/, "")}/proxy/${asked.port}${asked.path}`, location.href).href;
    if (await isProxied(proxied)) {
      frame.src = proxied;
      return;
    }
  }
  if (!asked.isFramed) tell("This server was not started by a notebook, so it lets no other page show it. Open it in a tab: ");
  else if (isWeb && !(await isReached(direct)))
    tell(
      "The browser does not reach the server. If it has ended, run this cell again. If Jupyter runs on another machine, install " +
        `jupyter-server-proxy there, or forward the port (ssh -L ${asked.port}:localhost:${asked.port} …). It was at `,
    );
  else frame.src = direct;
}"""


class _Asked(msgspec.Struct, rename="camel"):
    """What the script has to know."""

    id: str
    host: str
    port: int
    prefix: str
    path: str
    base: str
    is_framed: bool


def show(instance: Instance, height: int, environ: Mapping[str, str]) -> None:
    shell = _shell()
    if shell is not None and "google.colab" in sys.modules:
        from google.colab import output

        output.serve_kernel_port_as_iframe(instance.port, path=instance.path, height=str(height))
    elif getattr(shell, "kernel", None) is not None:
        from IPython.display import display

        plain = f"Runglass of {', '.join(instance.logdir)} on port {instance.port}"
        display({"text/html": frame_html(instance, height, environ), "text/plain": plain}, raw=True)
    else:
        print(f"Runglass at {instance.url}")


def frame_html(instance: Instance, height: int, environ: Mapping[str, str]) -> str:
    name = f"runglass-{secrets.token_hex(8)}"
    proxy = proxy_address(instance, environ)
    source = f' src="{html.escape(proxy)}"' if proxy is not None else ""
    parts = [
        f'<iframe id="{name}" title="{html.escape("Runglass: " + ", ".join(instance.logdir))}" height="{height:d}"'
        f' style="{STYLE}"{source}></iframe>',
        "<p hidden></p>",
    ]
    if proxy is None:
        is_near = instance.host in (*LOOPBACK, *EVERY_ADDRESS)
        asked = _Asked(
            id=name,
            host="" if is_near else f"[{instance.host}]" if ":" in instance.host else instance.host,
            port=instance.port,
            prefix=instance.path_prefix,
            path=instance.path,
            base=next(filter(None, map(environ.get, PREFIXES)), ""),
            is_framed=bool(instance.key),
        )
        parts.append(f"<script>({SCRIPT})({_script_json(asked)});</script>")
    return f"<div>{''.join(parts)}</div>"


def proxy_address(instance: Instance, environ: Mapping[str, str]) -> str | None:
    """Where the user says the port is, as in RUNGLASS_PROXY_URL=https://example.org/user/me/proxy/%PORT%/"""
    address = next(filter(None, map(environ.get, PROXIES)), None)
    if address is None:
        return None
    return address.replace("%PORT%", str(instance.port)).rstrip("/") + instance.path


def frame_ancestors(environ: Mapping[str, str], allowed_hosts: Sequence[str] = ()) -> str:
    """Who may show the page of a server that a notebook starts: pages of this machine, and where the notebook itself is.

    Behind a proxy the page has the notebook's own origin, which 'self' is.
    """
    sources = ["'self'"]
    for host in ("localhost", "127.0.0.1", socket.gethostname(), *allowed_hosts):
        if HOST.fullmatch(host):
            name = host.partition(":")[0]
            sources += [f"http://{name}:*", f"https://{name}:*"]
    # Only an editor on the user's own machine has this scheme.
    sources += ["vscode-webview:", "vscode-file:"]
    for address in filter(None, map(environ.get, PUBLIC_ADDRESSES)):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc):
            sources.append(f"{parts.scheme}://{parts.netloc}")
    if "google.colab" in sys.modules:
        sources += ["https://colab.research.google.com", "https://*.googleusercontent.com"]
    return " ".join(dict.fromkeys(sources))


def _shell() -> Any:
    """The running IPython, if there is one; without importing it where there is none."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _script_json(value: _Asked) -> str:
    """JSON that cannot end the script element that it stands in."""
    text = msgspec.json.encode(value).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
