"""Runs in feedsearch-crawler's own environment: addresses in, what it finds out.

One JSON object per line each way: ``{"name": …, "url": …}`` in, ``{"name": …, "urls":
[…], "seconds": …}`` out, best first. Several are searched at once, as on our side.
"""

import asyncio
import json
import sys
import time

from feedsearch_crawler import search_async  # type: ignore[import-not-found]  # its own

TOTAL_S = 30.0


async def search(asked: dict[str, str]) -> dict[str, object]:
    began_at = time.perf_counter()
    try:
        async with asyncio.timeout(TOTAL_S + 10):
            feeds = await search_async(asked["url"], try_urls=True, total_timeout=TOTAL_S)
        urls = [str(feed.url) for feed in feeds]
    except Exception as error:  # noqa: BLE001 - whatever it is, it found nothing
        print(f"{asked['name']}: {error!r}", file=sys.stderr)
        urls = []
    seconds = time.perf_counter() - began_at
    return {"name": asked["name"], "urls": urls, "seconds": seconds}


async def main(at_once: int) -> None:
    free = asyncio.Semaphore(at_once)

    async def one(asked: dict[str, str]) -> None:
        async with free:
            print(json.dumps(await search(asked)), flush=True)

    asked = [json.loads(line) for line in sys.stdin]
    await asyncio.gather(*map(one, asked))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
