"""`python -m tests.benchmarks.timed_table FILE ARGUMENTS`: `playproof ARGUMENTS`, whose table writes to FILE what CPU
time each of its jobs took: a line `choice SECONDS`, `page SECONDS` or `change SECONDS`.

The time is that of the server's own thread between two moments at which it waits, so neither bots nor other
programs are in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import Any, TextIO

from playproof.cli.main import main
from playproof.table import web_app
from playproof.table.sessions import ServerState
from playproof.table.table_requests import TableRequests
from playproof.table.web_exchange import encode_page_difference_as_json

# what a click asks; what each window then gets, made and cut to what is new
JOBS = ("choice", "page", "change")


def timed(out: TextIO) -> None:
    """Have the table write its times. Choosing and telling the table are one job: nothing comes between them."""
    began = [0.0]

    def write(job: str, since: float) -> None:
        out.write(f"{job} {thread_time() - since:.6f}\n")

    def starts(work: Callable[..., Any]) -> Callable[..., Any]:
        def worked(*given: Any) -> Any:
            began[0] = thread_time()
            return work(*given)

        return worked

    def ends(work: Callable[..., Any]) -> Callable[..., Any]:
        def worked(*given: Any) -> Any:
            result = work(*given)
            if began[0]:
                write("choice", began[0])
            began[0] = 0.0
            return result

        return worked

    def whole(job: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def worked(*given: Any) -> Any:
            since = thread_time()
            result = work(*given)
            write(job, since)
            return result

        return worked

    for owner, work, made in (
        (TableRequests, TableRequests.move, starts),
        (ServerState, ServerState.tell_listeners_and_start_pending_work, ends),
        (web_app.TableApp, web_app.TableApp._render_changing_part_of_page_cached, partial(whole, "page")),
        (web_app, encode_page_difference_as_json, partial(whole, "change")),
    ):
        setattr(owner, work.__name__, made(work))


if __name__ == "__main__":
    file, *rest = sys.argv[1:]
    with open(file, "w", encoding="ascii", buffering=1) as times:
        timed(times)
        sys.argv[1:] = rest
        main()
