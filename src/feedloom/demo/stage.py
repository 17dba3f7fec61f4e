"""What the demonstration stores beside its database, and its settings."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from feedloom.config import Settings
from feedloom.model.errors import ConfigError

EMAIL = "demo@example.org"
_KEPT = "demo.json"
_DATABASE = "feedloom.db"


@dataclass(frozen=True, slots=True)
class Stage:
    opened_at: datetime
    password: str
    sites_port: int
    is_set: bool = False
    """Whether its week is lived; one that was interrupted begins again."""


def open_stage(folder: Path, *, now: datetime, sites_port: int) -> Stage:
    """Read what a folder keeps, or begin there; refuse other people's databases.

    The publishers keep their port: it is part of the address of every feed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stage = _read(folder / _KEPT)
    if stage is not None and stage.is_set:
        return stage
    leftovers = list(folder.glob(f"{_DATABASE}*"))
    if stage is None and leftovers:
        raise ConfigError(f"{folder} contains a database that isn't a demo. Choose another folder.")
    for path in leftovers:
        path.unlink()
    begun = Stage(now, secrets.token_urlsafe(9), sites_port)
    keep_stage(folder, begun)
    return begun


def _read(path: Path) -> Stage | None:
    if not path.is_file():
        return None
    try:
        said = json.loads(path.read_text("utf-8"))
        opened_at = datetime.fromisoformat(said["opened_at"])
        return Stage(opened_at, str(said["password"]), int(said["sites_port"]), said["is_set"])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read. Choose another folder.") from error


def keep_stage(folder: Path, stage: Stage) -> None:
    said = asdict(stage) | {"opened_at": stage.opened_at.isoformat()}
    descriptor = os.open(folder / _KEPT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(said, file)


def settings_for(folder: Path, port: int) -> Settings:
    return Settings(
        data_dir=str(folder),
        host="127.0.0.1",
        port=port,
        allow_networks="127.0.0.1/32",
        host_delay=0.0,
        registration="closed",
        directory_check=False,
        ai_type="offline",
        rsshub_url="",
        log_level="warning",
    )
