"""Build the browser extension into one file: ``extension/`` in, a zip in ``dist`` out.

The same files give the same bytes. The icon is that of the pages: Chromium draws no SVG.
"""

import json
import zipfile
from pathlib import Path

from feedloom import __version__

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "extension"
ICON = ROOT / "src/feedloom/serve/pages/static/icons/icon-192.png"
_NEVER_CHANGED = (1980, 1, 1, 0, 0, 0)


def build(target: Path) -> Path:
    """Write the extension with the program's version into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"feedloom-extension-{__version__}.zip"
    manifest = json.loads((SOURCE / "manifest.json").read_text("utf-8"))
    manifest["version"] = __version__
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        bodies = {file.name: file.read_bytes() for file in sorted(SOURCE.iterdir())}
        bodies["manifest.json"] = json.dumps(manifest, indent=2).encode()
        bodies["icon.png"] = ICON.read_bytes()
        for name, body in bodies.items():
            packed.writestr(zipfile.ZipInfo(name, _NEVER_CHANGED), body)
    return path


if __name__ == "__main__":
    print(build(ROOT / "dist"))
