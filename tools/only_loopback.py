"""Run a command where no network exists but loopback.

In: a command. Out: the command itself, in a network namespace of its own; it replaces
this process. Never: a silent fall-back: when the machine allows no namespace, the note
says so, and the caller's own socket blocking is all that is left.

Linux allows this to root, and to anybody where unprivileged user namespaces are on. The
user id stays what it is, because PostgreSQL and Chromium behave differently as root.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


def enter() -> None:
    """Leave every network but loopback; raise ``OSError`` when that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    kind = CLONE_NEWNET if user == 0 else CLONE_NEWNET | CLONE_NEWUSER
    if libc.unshare(kind) != 0:
        raise OSError(ctypes.get_errno(), "the machine allows no network namespace")
    if kind & CLONE_NEWUSER:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    request = struct.pack("16sh14x", b"lo", IFF_UP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, request)


def is_possible() -> bool:
    """Try it in a child: a namespace without loopback could not be left again."""
    if not sys.platform.startswith("linux"):
        return False
    child = os.fork()
    if child == 0:
        try:
            enter()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    """Run from the command line: ``only_loopback.py COMMAND [ARGUMENT ...]``."""
    command = sys.argv[1:]
    if not command:
        sys.exit("usage: only_loopback.py COMMAND [ARGUMENT ...]")
    if is_possible():
        enter()
        print("network: only loopback exists (network namespace)", flush=True)
    else:
        print(
            "network: this machine allows no network namespace;"
            " the tests block sockets that leave loopback instead",
            flush=True,
        )
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
