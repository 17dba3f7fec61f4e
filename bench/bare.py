"""A bare ASGI handler that returns the same bytes: the most our HTTP server can do.

In: an answer of ours, body and headers. Out: a process under the same server with the
same settings, on the same core, that knows nobody, reads nothing and sends them.
"""

import http.client
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.rss import Site, _free_port, _process, _wait_for

_PROGRAM = """
import json, sys, uvicorn
from pathlib import Path
from feedloom.serve import server_options
body, headers = (Path(name).read_bytes() for name in sys.argv[2:])
start = {"type": "http.response.start", "status": 200, "headers": [
    (name.encode(), value.encode()) for name, value in json.loads(headers)]}
end = {"type": "http.response.body", "body": body}
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send(start)
        await send(end)
uvicorn.run(app, port=int(sys.argv[1]), lifespan="off", **server_options())
"""


def answer(
    site: Site, path: str, headers: Mapping[str, str], kind: str
) -> tuple[bytes, dict[str, str]]:
    """Return an answer's body and headers, but for what the HTTP server adds."""
    line = http.client.HTTPConnection("127.0.0.1", site.port)
    line.request("GET", path, headers=dict(headers))
    answered = line.getresponse()
    body = answered.read()
    line.close()
    if answered.status != 200 or kind not in (answered.headers["Content-Type"] or ""):
        raise RuntimeError(f"{path} answered {answered.status}")
    said = {name.lower(): value for name, value in answered.getheaders()}
    return body, {name: value for name, value in said.items() if name != "date"}


@contextmanager
def bare(body: bytes, headers: Mapping[str, str], folder: Path) -> Iterator[Site]:
    """Run a handler that sends this and nothing else."""
    port = _free_port()
    files = (folder / f"bare-{port}.body", folder / f"bare-{port}.headers")
    files[0].write_bytes(body)
    files[1].write_text(json.dumps([*headers.items()]))
    command = [sys.executable, "-c", _PROGRAM, str(port), *map(str, files)]
    with _process(command, dict(os.environ)) as process:
        _wait_for(port)
        yield Site(port, process.pid)
