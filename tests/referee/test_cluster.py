"""Runs on a Dask cluster: only workers with the same program and the same game count.

A stand-in for the client plays in this process; with the package `distributed`, a real cluster does too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.failures import findings_of
from playproof.database.places import EXAMPLES
from playproof.language import Game, Local, goto, tie
from playproof.referee import Variant, cluster
from playproof.referee.batches import Batch
from playproof.referee.cluster import OtherWorkers, Stamp, game_digest, on_cluster, stamp_of, stamped
from playproof.referee.simulate import simulate
from playproof.referee.tally import Tally

Work = Callable[[Batch], tuple[Stamp, Tally]]
BATCH = Batch(Variant("tic_tac_toe"), ("random", "random"), 3, 0, 10)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


class Done:
    """A future that is done, after so many looks at it."""

    def __init__(self, work: Work, batch: Batch, looks: int = 0) -> None:
        self.work, self.batch, self.looks, self.status = work, batch, looks, "pending"

    def result(self, timeout: float) -> tuple[Stamp, Tally]:
        if self.looks:
            self.looks -= 1
            raise TimeoutError
        self.status = "error"
        answer = self.work(self.batch)
        self.status = "finished"
        return answer


class Client:
    """Has the calls of a Dask client that are needed. `work` stands for the worker's program."""

    def __init__(self, work: Work = stamped, looks: int = 0, workers: Sequence[int] = (1,)) -> None:
        self.work, self.looks, self.workers = work, looks, workers
        self.asked: list[Batch] = []
        self.canceled = 0

    def map(self, work: Work, batches: list[Batch], pure: bool) -> list[Done]:
        assert not pure, "an answer that the scheduler keeps may be of other rules"
        self.asked += batches
        return [Done(self.work, batch, self.looks if n == 0 else 0) for n, batch in enumerate(batches)]

    def nthreads(self) -> dict[str, int]:
        return {str(n): n for n in self.workers}

    def cancel(self, futures: list[Done]) -> None:
        self.canceled += len(futures)


def test_a_cluster_plays_the_same_games() -> None:
    client = Client()
    result = simulate(Variant("tic_tac_toe"), 50, seed=3, client=client)
    alone = simulate(Variant("tic_tac_toe"), 50, seed=3)
    assert client.asked
    assert client.canceled == len(client.asked)
    assert (result.tally.endings, result.tally.wins) == (alone.tally.endings, alone.tally.wins)


def test_batches_are_sized_for_the_cluster() -> None:
    class Wide(Client):
        """Only counts the games."""

        def map(self, work: Work, batches: list[Batch], pure: bool) -> list[Done]:
            self.asked += batches
            return []

    client = Wide(workers=(30, 34))
    simulate(Variant("tic_tac_toe"), 512_000, seed=3, client=client)
    assert max(batch.count for batch in client.asked) == 512_000 // (4 * 64)


@pytest.mark.parametrize("part", ["version", "program", "game"])
def test_a_worker_of_another_program_or_game_is_refused(part: str) -> None:
    def other(batch: Batch) -> tuple[Stamp, Tally]:
        stamp, tally = stamped(batch)
        return (stamp._replace(**{part: "another"}), tally) if batch.first else (stamp, tally)

    with pytest.raises(OtherWorkers) as refused:
        simulate(Variant("kuhn_poker"), 5_000, seed=3, client=Client(other))
    assert str(stamp_of(Batch(Variant("kuhn_poker"), (), 0, 0, 0))) in str(refused.value)
    assert "another" in str(refused.value)
    assert findings_of(refused.value) is not None


@pytest.mark.parametrize(
    "error", [LookupError("no rules"), AttributeError("no `stamped`"), TimeoutError("slow")]
)
def test_a_worker_that_cannot_play_is_told(error: Exception) -> None:
    def broken(_: Batch) -> tuple[Stamp, Tally]:
        raise error

    with pytest.raises(OtherWorkers, match=f"a worker cannot play this game: {type(error).__name__}"):
        list(on_cluster(Client(broken), [BATCH]))


@pytest.mark.parametrize(
    ("workers", "told"),
    [((), "no Dask worker is there; the run waits for one"), ((1,), "the Dask workers are busy")],
)
def test_a_run_that_waits_says_so(
    workers: Sequence[int], told: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "_QUIET", 0.0)
    with caplog.at_level(logging.WARNING, "playproof"):
        assert len(list(on_cluster(Client(looks=2, workers=workers), [BATCH]))) == 1
    assert [told in record.getMessage() for record in caplog.records] == [True, True]


def test_a_run_with_workers_says_nothing_at_first(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "playproof"):
        list(on_cluster(Client(looks=2), [BATCH]))
    assert not caplog.records


# -- digests --------------------------------------------------------------------------------------------------------


def counting(last: int = 3, word: str = "count {n}", sees: Any = None, hint: int = 1) -> Game:
    g = Game("counting")
    g.integer("n", 0, last, **({} if sees is None else {"sees": sees}))
    g.fact(steps_within=hint)
    play, check = g.phase("play", 0), g.automatic("check")

    @g.action(play, word, n=2)
    def count(n: Local) -> None:
        g.state.n = n
        goto(check)

    @g.on(check)
    def checking() -> None:
        tie("it is over")

    g.start(play)
    return g.seal()


def test_the_digest_tells_rules_words_fields_and_facts_apart() -> None:
    from playproof.language import Sees

    games = [
        counting(),
        counting(last=2),
        counting(word="say {n}"),
        counting(sees=Sees.NOBODY),
        counting(hint=2),
    ]
    assert len({game_digest(game) for game in games}) == len(games)
    assert game_digest(counting()) == game_digest(counting())


def test_the_digest_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    source = (EXAMPLES / "nim.py").read_text(encoding="utf-8")
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rules.py").write_text("\n" * len(folder) + source, encoding="utf-8")
    digests = {game_digest(Variant(str(tmp_path / folder)).game) for folder in ("here", "there")}
    assert digests == {game_digest(Variant("nim").game)}


def test_workers_of_a_real_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    rules = tmp_path / "heaps" / "rules.py"
    rules.parent.mkdir()
    source = (EXAMPLES / "nim.py").read_text(encoding="utf-8")
    rules.write_text(source, encoding="utf-8")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as local,
        distributed.Client(local) as client,
    ):
        variant = Variant(str(rules.parent))
        assert simulate(variant, 40, seed=1, client=client).tally.games == 40
        rules.write_text(source.replace("3", "4"), encoding="utf-8")  # the worker keeps what it read
        with pytest.raises(OtherWorkers):
            simulate(Variant(str(rules.parent)), 40, seed=1, client=client)
