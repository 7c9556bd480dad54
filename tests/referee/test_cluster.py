"""Runs on a Dask cluster: only workers with the same program and the same game count.

A stand-in for the client plays in this process; with the package `distributed`, a real cluster does too.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.output import json_findings_of_user_error_or_none
from playproof.database import installation
from playproof.database.installation import EXAMPLES
from playproof.lab.compare import parse_reference_to_version_or_raise, play_versions_until_settled_or_limit
from playproof.lab.game_runner import GameRunner
from playproof.lab.log import RunLog
from playproof.lab.report import ReportPlan, play_games_and_build_report, report_to_json_values
from playproof.language import Game, Local, goto, tie
from playproof.language.description import digest
from playproof.mutation.mutate import run_mutation_test_and_build_report
from playproof.mutation.sampling import MutationLimits
from playproof.referee import Variant, cluster
from playproof.referee.batches import Batch, Tally, play_batch_with_cached_engine
from playproof.referee.cluster import (
    DescribedVariant,
    ProgramStamp,
    WorkerMismatchError,
    do_work_and_attach_own_stamp,
    make_own_stamp_for_work,
    map_items_on_dask_workers_in_order,
)
from playproof.referee.simulate import simulate
from playproof.verifier.bridges.cluster import make_factory_of_cluster_or_local_runs
from playproof.verifier.prove import prove

Stamped = Callable[[Any, Any, bytes], tuple[ProgramStamp, Any]]
GAME = DescribedVariant(Variant("tic_tac_toe"))
BATCH = Batch(GAME.variant, ("random", "random"), 3, 0, 10)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


CLAIMS = """
claims:
  first-heap:
    says: Nobody wins before the first heap is gone.
    ask: always
    of: {holds: "outcome == 0 or heap[0] == 0"}
    expect: true
"""


def games(described: DescribedVariant, batch: Batch) -> Tally:
    return play_batch_with_cached_engine(replace(batch, variant=described.variant))


class Done:
    """A future that is done, after so many looks at it."""

    def __init__(self, work: Callable[..., Any], parts: tuple[Any, ...], looks: int = 0) -> None:
        self.work, self.parts, self.looks, self.status = work, parts, looks, "pending"

    def result(self, timeout: float) -> Any:
        if self.looks:
            self.looks -= 1
            raise TimeoutError
        self.status = "error"
        answer = self.work(*self.parts)
        self.status = "finished"
        return answer


class Client:
    """Has the calls of a Dask client that are needed. `work` stands for the worker's program."""

    def __init__(
        self, work: Stamped = do_work_and_attach_own_stamp, looks: int = 0, workers: Sequence[int] = (1,)
    ) -> None:
        self.work, self.looks, self.workers = work, looks, workers
        self.asked: list[Any] = []
        self.open, self.most = 0, 0

    def submit(self, work: Callable[..., Any], *parts: Any, pure: bool) -> Any:
        assert not pure, "an answer that the scheduler keeps may be of other rules"
        if work is bytes:
            return parts[0]
        self.asked.append(parts[1])
        looks = self.looks if len(self.asked) == 1 else 0
        return Done(self.work, pickle.loads(pickle.dumps(parts)), looks)

    def nthreads(self) -> dict[str, int]:
        return {str(n): n for n in self.workers}

    def cancel(self, futures: list[Any]) -> None:
        self.open = len(futures) - 1  # without what the work is about


def test_a_cluster_plays_the_same_games() -> None:
    client = Client()
    result = simulate(Variant("tic_tac_toe"), 50, seed=3, client=client)
    alone = simulate(Variant("tic_tac_toe"), 50, seed=3)
    assert client.asked
    assert (result.tally.endings, result.tally.wins) == (alone.tally.endings, alone.tally.wins)


def test_batches_are_sized_for_the_cluster_which_knows_of_a_few_at_a_time() -> None:
    def idle(_: Any, batch: Batch, sent: bytes) -> tuple[ProgramStamp, Tally]:
        return make_own_stamp_for_work(games, GAME), Tally(2, 9)

    client = Client(idle, workers=(30, 34))
    simulate(Variant("tic_tac_toe"), 512_000, seed=3, client=client)
    assert max(batch.count for batch in client.asked) == 512_000 // (4 * 64)
    client = Client(idle, workers=(2,))
    answers = map_items_on_dask_workers_in_order(client, GAME, games, [BATCH] * 50)
    next(answers)
    assert len(client.asked) < 12
    client.workers = (1,)  # a worker is lost
    next(answers)
    answers.close()
    assert client.open == len(client.asked) - 2


@pytest.mark.parametrize("part", ["version", "program", "game"])
def test_a_worker_of_another_program_or_game_is_refused(part: str) -> None:
    def other(work: Any, batch: Batch, sent: bytes) -> tuple[ProgramStamp, Tally]:
        stamp, tally = do_work_and_attach_own_stamp(work, batch, sent)
        return (stamp._replace(**{part: "another"}), tally) if batch.first else (stamp, tally)

    with pytest.raises(WorkerMismatchError) as refused:
        simulate(Variant("kuhn_poker"), 5_000, seed=3, client=Client(other))
    assert str(make_own_stamp_for_work(games, DescribedVariant(Variant("kuhn_poker")))) in str(refused.value)
    assert "another" in str(refused.value)
    assert json_findings_of_user_error_or_none(refused.value) is not None


@pytest.mark.parametrize("error", [LookupError("no rules"), AttributeError("no `stamped`"), TimeoutError("slow")])
def test_a_worker_that_cannot_play_is_told(error: Exception) -> None:
    def broken(*_: object) -> tuple[ProgramStamp, Tally]:
        raise error

    with pytest.raises(WorkerMismatchError, match=f"a worker cannot do this work: {type(error).__name__}"):
        list(map_items_on_dask_workers_in_order(Client(broken), GAME, games, [BATCH]))


@pytest.mark.parametrize(
    ("workers", "told"), [((), "no Dask worker is there; the run waits for one"), ((1,), "the Dask workers are busy")]
)
def test_a_run_that_waits_says_so(
    workers: Sequence[int], told: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cluster, "_QUIET", 0.0)
    with caplog.at_level(logging.WARNING, "playproof"):
        assert (
            len(list(map_items_on_dask_workers_in_order(Client(looks=2, workers=workers), GAME, games, [BATCH]))) == 1
        )
    assert [told in record.getMessage() for record in caplog.records] == [True, True]


def test_a_run_with_workers_says_nothing_at_first(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "playproof"):
        list(map_items_on_dask_workers_in_order(Client(looks=2), GAME, games, [BATCH]))
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

    games = [counting(), counting(last=2), counting(word="say {n}"), counting(sees=Sees.NOBODY), counting(hint=2)]
    assert len({digest(game) for game in games}) == len(games)
    assert digest(counting()) == digest(counting())


def test_the_digest_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    source = (EXAMPLES / "nim.py").read_text(encoding="utf-8")
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rules.py").write_text("\n" * len(folder) + source, encoding="utf-8")
    digests = {Variant(str(tmp_path / folder)).digest for folder in ("here", "there")}
    assert digests == {Variant("nim").digest}


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
        played = simulate(Variant(str(rules.parent)), 40, seed=1, client=client).tally
        rules.write_text(source.replace("(3, 4, 5)", "(3, 4, 6)"), encoding="utf-8")
        changed = Variant(str(rules.parent))
        alone = simulate(changed, 40, seed=1).tally
        assert changed.game.ground > len(played.taken)
        rules.unlink()  # a worker has the description, and looks for no rules
        there = simulate(changed, 40, seed=1, client=client).tally
        assert (there.games, there.wins, there.decisions) == (40, alone.wins, alone.decisions)
        assert there.decisions != played.decisions
        rules.write_text(source, encoding="utf-8")  # but a change names a line of the rules
        (rules.parent / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
        there, here = both(lambda how: mutated(rules.parent, how), client)
        assert there == here
        assert there["rules"]["states"]["noticed"]
        there, here = both(lambda how: proved(rules.parent, how), client)
        assert there == here == [("first-heap", "PROVEN", True)]


def both(work: Callable[[Any], Any], client: Any) -> tuple[Any, Any]:
    return work(client), work(None)


def reported(client: Any) -> Any:
    bench = GameRunner(Variant("kuhn_poker"), ["random"], 4, 1, client)
    return report_to_json_values(play_games_and_build_report(bench, ReportPlan(20, 10, 5, ("random", "greedy"), 4)))


def compared(client: Any) -> Any:
    how = (1, 2, client)
    a, b = (
        parse_reference_to_version_or_raise("tic_tac_toe", *how),
        parse_reference_to_version_or_raise("tic_tac_toe:bot=random+mcts:2", *how),
    )
    return play_versions_until_settled_or_limit(a, b, 40).to_json_of_compare_command()


def mutated(game: Path, client: Any) -> Any:
    effort = MutationLimits(steps=800, states=400)
    return run_mutation_test_and_build_report(
        str(game), rule_change_count=12, seed=2, remember=False, effort=effort, client=client
    ).to_json_of_mutate_command()


def proved(game: Path, client: Any) -> Any:
    return [
        (a.id, a.verdict.value, a.value) for a in prove(str(game), begin=make_factory_of_cluster_or_local_runs(client))
    ]


def test_a_cluster_gives_the_same_report_and_comparison() -> None:
    for work in (reported, compared):
        there, here = both(work, Client())
        assert there == here


def test_a_log_played_on_a_cluster_is_the_log_of_one_machine(tmp_path: Path) -> None:
    files = []
    for name, client in (("there", Client()), ("here", None)):
        bench = GameRunner(Variant("kuhn_poker"), ["random"], 2, 1, client)
        log = RunLog.open_or_create_log_folder(bench, tmp_path / name, record_every=10, quantities=None, resume=False)
        assert log.play_missing_games_and_count_present(0, 40) == 40
        assert client is None or client.asked
        written = sorted((tmp_path / name).rglob("*.parquet"))
        files.append({file.relative_to(tmp_path / name): file.read_bytes() for file in written})
    assert files[0] == files[1]


@pytest.mark.parametrize("answers", [0, 1, 3])
def test_a_scheduler_that_is_gone_is_told_whenever_it_goes(answers: int) -> None:
    class Leaving(Client):
        left = answers

        def heard(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise OSError("ConnectionPool closing.")

        def submit(self, *parts: Any, **how: Any) -> Any:
            self.heard()
            return super().submit(*parts, **how)

        def nthreads(self) -> dict[str, int]:
            self.heard()
            return super().nthreads()

        def cancel(self, futures: list[Any]) -> None:
            self.heard()

    with pytest.raises(WorkerMismatchError, match="scheduler is gone: OSError: ConnectionPool closing"):
        list(map_items_on_dask_workers_in_order(Leaving(), GAME, games, [BATCH] * 20))


def test_a_stamp_of_all_code_notices_rooms_that_are_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, inner = tmp_path / "package", tmp_path / "inner"
    for folder in (package, inner):
        folder.mkdir()
        (folder / "code.py").write_text("ONE = 1\n")
    (package / "inner").symlink_to(inner)
    monkeypatch.setattr(installation, "PACKAGE", package)

    def stamp() -> str:
        return installation.compute_digest_of_program_code.__wrapped__(())

    stamps = [stamp()]
    for folder in (inner, package):
        (folder / "code.py").write_text("ONE = 2\n")
        stamps.append(stamp())
    assert len(set(stamps)) == 3
