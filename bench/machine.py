"""The machine and the programs a benchmark ran on, in words for the documents."""

import os
import platform
import sqlite3
from datetime import UTC, datetime
from pathlib import Path


def described() -> dict[str, str]:
    """Say when, on what and with what."""
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),  # noqa: TID251 - a real day
        "machine": f"{_processor()}, {os.cpu_count()} processors, {_memory_gb()} GB",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gb() -> int:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return round(pages / 2**30)
