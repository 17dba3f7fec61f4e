"""A name server that says what a script tells it, one answer after the other.

    names = ScriptedNames({"rebind.example": [["93.184.216.34"], ["10.0.0.1"]]})
    names.start("127.0.0.1", 53)

Each list is the answer to one question, the last one repeats; IPv4 addresses answer
questions for A, IPv6 ones questions for AAAA. All answers may be forgotten at once
(TTL 0). ``FAILS`` in place of an answer is a server failure, a number a pause in seconds.
"""

import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, ip_address
from typing import Any

FAILS = "fails"
Answer = Sequence[str] | str | float
_A, _AAAA = 1, 28
_NO_ERROR, _SERVER_FAILURE, _NO_SUCH_NAME = 0, 2, 3


class ScriptedNames:
    """Answers over UDP on a thread of its own, until the process ends."""

    def __init__(self, script: Mapping[str, Sequence[Answer]]) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self._script = script

    def start(self, host: str, port: int) -> None:
        """Listen from now on."""
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.bind((host, port))
        threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        while True:
            question, peer = line.recvfrom(4096)
            # Whoever is kept waiting keeps nobody else waiting.
            arguments = (line, question, peer)
            threading.Thread(target=self._answer, args=arguments, daemon=True).start()

    def _answer(self, line: socket.socket, question: bytes, peer: Any) -> None:
        name, kind, end = _read(question)
        code, found = self._find(name, kind)
        head = question[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(found), 0, 0)
        rows = b"".join(_row(address) for address in found)
        line.sendto(head + question[12:end] + rows, peer)

    def _find(self, name: str, kind: int) -> tuple[int, list[str]]:
        turns = self._script.get(name)
        if turns is None:
            return _NO_SUCH_NAME, []
        turn = min(self.asked[name, kind], len(turns) - 1)
        self.asked[name, kind] += 1
        answer = turns[turn]
        if answer == FAILS:
            return _SERVER_FAILURE, []
        if isinstance(answer, (int, float)):
            time.sleep(answer)
            return _NO_ERROR, []
        wanted = 4 if kind == _A else 6
        found = [a for a in answer if ip_address(a).version == wanted]
        return _NO_ERROR, found if kind in {_A, _AAAA} else []


def _read(question: bytes) -> tuple[str, int, int]:
    """Return the name that is asked for, the kind, and where the question ends."""
    labels, at = [], 12
    while size := question[at]:
        labels.append(question[at + 1 : at + 1 + size].decode("ascii").lower())
        at += size + 1
    (kind,) = struct.unpack(">H", question[at + 1 : at + 3])
    return ".".join(labels), kind, at + 5


def _row(text: str) -> bytes:
    address = ip_address(text)
    kind = _A if isinstance(address, IPv4Address) else _AAAA
    packed = address.packed
    return struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed
