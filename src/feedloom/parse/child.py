"""The child process of the tolerant parser: documents in, findings out.

It limits its own memory, can write no files, and ends when its parent does or when memory runs out.
"""

import gc
import sys

import msgspec

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.parse.guesses import read_guessing
from feedloom.parse.parser import Reply, Request
from feedloom.processes import be_child

# How the tolerant parser fails. After anything else a new process is safer.
_USUAL_FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError),
    *(RuntimeError, TypeError, ValueError),
)


def answer(frame: bytes) -> bytes:
    """Read one document; what is wrong with it becomes a reply."""
    request = msgspec.msgpack.decode(frame, type=Request)
    try:
        reply = Reply(
            read_guessing(
                request.body,
                url=request.url,
                content_type=request.content_type,
                now=request.now,
                most=request.most,
            )
        )
    except NotAFeed as error:
        reply = Reply(message=str(error), kind=error.kind)
    except ParseError as error:
        reply = Reply(message=str(error))
    except _USUAL_FAILURES:
        reply = Reply(message=ParseError.default)
    written = msgspec.msgpack.encode(reply)
    del request, reply
    gc.collect()
    return written


def main() -> None:
    be_child(answer, int(sys.argv[1]))


if __name__ == "__main__":
    main()
