"""A stand-in for an embeddings service: words of one meaning get one vector.

Each meaning, in whichever language, is a direction of its own; other words are noise
that follows from their letters, so the same text always has the same vector.
"""

import json
import random
import re

from tests.model_api import Call, Reply

SIZE = 256
MEANINGS = (
    ("boat", "ferry", "ship", "barco", "schiff"),
    ("bread", "bakery", "flour", "brot", "pan"),
    ("vote", "election", "ballot", "wahl", "voto"),
    ("train", "railway", "track", "zug", "tren"),
)
_OF_WORD = {word: number for number, words in enumerate(MEANINGS) for word in words}


def vector_of(text: str) -> list[float]:
    """Add up what the words of a text mean."""
    total = [0.0] * SIZE
    for word in re.findall(r"\w+", text.lower()):
        meaning = _OF_WORD.get(word)
        seed, weight = (f"meaning {meaning}", 3.0) if meaning is not None else (word, 0.4)
        source = random.Random(seed)
        total = [value + weight * source.gauss(0, 1) for value in total]
    return total if any(total) else [1.0] * SIZE


def embeds(call: Call) -> Reply:
    """Answer a request for vectors."""
    rows = [
        {"object": "embedding", "index": number, "embedding": vector_of(text)}
        for number, text in enumerate(call.body["input"])
    ]
    document = {"object": "list", "data": rows[::-1], "model": call.body["model"]}
    return Reply(body=json.dumps(document).encode())
