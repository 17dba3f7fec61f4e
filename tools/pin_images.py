"""Write the digests of base images into ``Containerfile`` and ``compose.yaml``.

Run before a release, on a machine with Docker. Each image keeps its version, which is
for people; the digest of the registry's manifest, which covers all platforms, decides
what is used. Nothing is written unless the digest of every image was read.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("Containerfile", "compose.yaml")

# Our own image is built, not pulled: it has no version.
_IMAGE = re.compile(
    r"^(FROM |\s*image: )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)", re.MULTILINE
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PATIENCE_S = 60


class PinFailure(Exception):
    """A digest cannot be had; the message says why."""


def images(text: str) -> list[str]:
    """List the base images of a file, with their versions, each once."""
    return list(dict.fromkeys(found[2] for found in _IMAGE.finditer(text)))


def pinned(text: str, digests: Mapping[str, str]) -> str:
    """Return a file with the digest of every base image."""
    return _IMAGE.sub(lambda found: f"{found[1]}{found[2]}@{digests[found[2]]}", text)


def read_digest(image: str) -> str:
    """Ask the registry, through Docker, for the digest of an image."""
    command = ["docker", "buildx", "imagetools", "inspect"]
    command += ["--format", "{{json .Manifest}}", image]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PinFailure(f"{image}: Docker did not answer: {error}") from error
    if done.returncode != 0:
        raise PinFailure(f"{image}: {done.stderr.strip()}")
    try:
        digest = str(json.loads(done.stdout)["digest"])
    except (ValueError, KeyError, TypeError) as error:
        raise PinFailure(f"{image}: Docker did not tell a digest.") from error
    if not _DIGEST.fullmatch(digest):
        raise PinFailure(f"{image}: {digest!r} is not a digest.")
    return digest


def main(root: Path = ROOT) -> int:
    """Run from the command line."""
    texts = {root / name: (root / name).read_text("utf-8") for name in FILES}
    wanted = dict.fromkeys(image for text in texts.values() for image in images(text))
    try:
        digests = {image: read_digest(image) for image in wanted}
    except PinFailure as failure:
        print(f"Nothing was changed. {failure}", file=sys.stderr)
        return 1
    for path, text in texts.items():
        path.write_text(pinned(text, digests), "utf-8")
    for image, digest in digests.items():
        print(f"{image} {digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
