"""Small disks: file systems of a few megabytes that a test can fill.

They exist in a mount namespace of the process that asks, so nobody else sees them and
they are gone with it. There is no fall-back: where the machine allows no such thing, the
process fails and says so.
"""

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path

from tools.only_loopback import CLONE_NEWUSER

CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 0x40000, 0x2
_CHUNK = 65_536


def leave_shared_mounts() -> None:
    """Give this process mounts of its own; raise ``OSError`` when that is refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    kind = CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER
    if libc.unshare(kind) != 0:
        raise OSError(ctypes.get_errno(), "this machine allows no mount namespace")
    if kind & CLONE_NEWUSER:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        raise OSError(ctypes.get_errno(), "mounts cannot be made private")


class SmallDisk:
    """A tmpfs of a fixed size at a folder that exists."""

    def __init__(self, place: Path, megabytes: int) -> None:
        self.place = place
        self._ballast = place / "ballast"
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"size={megabytes}m,mode=0777".encode()
        if libc.mount(b"tmpfs", str(place).encode(), b"tmpfs", 0, options) != 0:
            raise OSError(ctypes.get_errno(), "no file system of a fixed size here")

    def fill(self, *, but: int = 0) -> None:
        """Leave no room but so many bytes."""
        with self._ballast.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * _CHUNK)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
            if but:
                file.truncate(max(0, file.tell() - but))

    def free(self) -> None:
        """Give the room back."""
        with suppress(FileNotFoundError):
            self._ballast.unlink()

    def close(self) -> None:
        """Take the disk away."""
        ctypes.CDLL(None).umount2(str(self.place).encode(), MNT_DETACH)
