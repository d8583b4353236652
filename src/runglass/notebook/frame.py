"""Shows a running server: in a frame for each kind of notebook, or as an address outside notebooks.

Knows no processes, and of the notebook only its environment.
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
from runglass.visible import make_one_line

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# The path of the user's own notebook server behind a hub, if it says so.
PUBLIC_ADDRESSES = ("JUPYTERHUB_PUBLIC_URL", "JUPYTERHUB_HOST")
PREFIXES = ("JUPYTERHUB_SERVICE_PREFIX", "NB_PREFIX")
PROXIES = ("RUNGLASS_PROXY_URL", "TENSORBOARD_PROXY_URL")
# In which an editor in the browser gives the address of ports, such as https://example.org/ann/proxy/{{port}}/
EDITOR_PROXY = "VSCODE_PROXY_URI"
EDITOR_PROXY_END = "/proxy/{{port}}/"
HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?")
STYLE = "width: 100%; border: 1px solid #8884; border-radius: 6px; box-sizing: border-box;"

# Only the browser knows how it reaches the notebook. With jupyter-server-proxy or the editor's own proxy, the same address leads
# to the server; without one, the port on the notebook's host does, or on the user's machine if it is forwarded. The script finds
# out with an image that only this server has, behind its token.
SCRIPT = """async (asked) => {
  const frame = document.getElementById(asked.id);
  const note = frame.nextElementSibling;
  const config = document.getElementById("jupyter-config-data");
  const base = (config && JSON.parse(config.textContent).baseUrl) || document.body.dataset.baseUrl || asked.base;
  const isWeb = location.protocol.startsWith("http");
  const hosts = asked.host ? [asked.host] : isWeb ? [location.hostname, "localhost"] : ["localhost"];
  const direct = (host) => `http://${host}:${asked.port}${asked.path}`;
  const isProxied = async (url) => {
    try {
      const answer = await fetch(`${url}api/status`, { credentials: "same-origin", signal: AbortSignal.timeout(10000) });
      return answer.ok && typeof (await answer.json()).version === "string";
    } catch {
      return false;
    }
  };
  const reach = (url) =>
    new Promise((found, fail) => {
      const probe = new Image();
      probe.onload = () => found(url);
      probe.onerror = fail;
      setTimeout(fail, 10000);
      probe.src = `${url}icon.svg`;
    });
  const tell = (text) => {
    const link = document.createElement("a");
    link.href = direct(hosts[0]);
    link.textContent = `http://${hosts[0]}:${asked.port}${asked.prefix}/`;
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
  // An editor in a window of its own forwards ports to the machine that it is on.
  else if (!isWeb) frame.src = direct(hosts[0]);
  else
    try {
      frame.src = await Promise.any(hosts.map((host) => reach(direct(host))));
    } catch {
      tell(
        "The browser does not reach the server. If it has ended, run this cell again. If the notebook runs on another machine, " +
          `forward the port (ssh -L ${asked.port}:localhost:${asked.port} …) or, for Jupyter, install jupyter-server-proxy ` +
          "there; then run this cell again. It was at ",
      );
    }
}"""


class _ScriptData(msgspec.Struct, rename="camel"):
    """The data of the script."""

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

        plain = make_one_line(f"Runglass of {', '.join(instance.logdir)} on port {instance.port}")
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
        asked = _ScriptData(
            id=name,
            host="" if is_near else f"[{instance.host}]" if ":" in instance.host else instance.host,
            port=instance.port,
            prefix=instance.path_prefix,
            path=instance.path,
            base=_base(environ),
            is_framed=bool(instance.key),
        )
        parts.append(f"<script>({SCRIPT})({_script_json(asked)});</script>")
    return f"<div>{''.join(parts)}</div>"


def proxy_address(instance: Instance, environ: Mapping[str, str]) -> str | None:
    """The address that the user gives for the port: RUNGLASS_PROXY_URL=https://example.org/user/me/proxy/%PORT%/"""
    address = next(filter(None, map(environ.get, PROXIES)), None)
    if address is None:
        return None
    return address.replace("%PORT%", str(instance.port)).rstrip("/") + instance.path


def frame_ancestors(environ: Mapping[str, str], allowed_hosts: Sequence[str] = ()) -> str:
    """Who may show the page of a server that a notebook starts: pages of this machine, and of the notebook's address.

    Behind a proxy the page has the origin of the notebook, which is 'self'.
    """
    sources = ["'self'"]
    for host in ("localhost", "127.0.0.1", socket.gethostname(), *allowed_hosts):
        if HOST.fullmatch(host):
            name = host.partition(":")[0]
            sources += [f"http://{name}:*", f"https://{name}:*"]
    # Only editors on the user's machine use these schemes.
    sources += ["vscode-webview:", "vscode-file:"]
    if any(name.startswith("VSCODE_") for name in environ):
        # The origin of cell output in an editor in the browser.
        sources.append("https://*.vscode-cdn.net")
    for address in filter(None, map(environ.get, PUBLIC_ADDRESSES)):
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc):
            sources.append(f"{parts.scheme}://{parts.netloc}")
    if "google.colab" in sys.modules:
        sources += ["https://*.google.com", "https://*.googleusercontent.com", "https://*.colab.dev"]
    return " ".join(dict.fromkeys(sources))


def _base(environ: Mapping[str, str]) -> str:
    """The path of the notebook, as far as the kernel knows."""
    for prefix in filter(None, map(environ.get, PREFIXES)):
        return prefix
    path = urlsplit(environ.get(EDITOR_PROXY, "")).path
    return path.removesuffix(EDITOR_PROXY_END) + "/" if path.endswith(EDITOR_PROXY_END) else ""


def _shell() -> Any:
    """The running IPython, if any; does not import it."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _script_json(value: _ScriptData) -> str:
    """JSON that cannot end the script element around it."""
    text = msgspec.json.encode(value).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
