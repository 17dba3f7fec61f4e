"""The child process of the fallback: requests on standard input, replies on output.

The process limits its own memory, can write no files, and ends when its parent does,
when a request takes too long, or when memory runs out.
"""

import gc
import signal
import sys
from typing import IO

import msgspec

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.parse.fallback.frames import Reply, Request
from feedloom.parse.fallback.guesses import read_guessing
from feedloom.processes import limit_process, own_output, read_frame, write_frame

_USUAL_FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""How the tolerant parser fails. After anything else a new process is safer."""


def answer(request: Request) -> Reply:
    """Read one document; every failure becomes a reply."""
    try:
        feed = read_guessing(
            request.body,
            url=request.url,
            content_type=request.content_type,
            now=request.now,
        )
    except NotAFeed as error:
        return Reply(message=str(error), kind=error.kind)
    except ParseError as error:
        return Reply(message=str(error))
    except MemoryError:
        return Reply(message="The document needs too much memory.", spent=True)
    except _USUAL_FAILURES:
        return Reply(message=ParseError.default)
    return Reply(feed=feed)


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer requests until there are no more, or until memory ran out."""
    write_frame(sink, b"ready")
    while (frame := read_frame(source)) is not None:
        request = msgspec.msgpack.decode(frame, type=Request)
        signal.alarm(request.alarm_s)
        reply = answer(request)
        signal.alarm(0)
        write_frame(sink, msgspec.msgpack.encode(reply))
        if reply.spent:
            return
        del frame, request, reply
        gc.collect()


def main() -> None:
    """Be a child: limited, with nothing but frames on standard output."""
    limit_process(int(sys.argv[1]))
    serve(sys.stdin.buffer, own_output())


if __name__ == "__main__":
    main()
