"""What one run of the kernel has at hand: the work it may spend, the other solvers it may ask, and what it has
settled so far. Whoever runs the kernel makes a context and hands it in; nothing of it is kept anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

from playproof.language import Term
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm, ClaimTermBuilder, Target, build_target
from playproof.verifier.kernel.strict_json import (
    Json,
    Unreadable,
    format_data_shortened,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
    to_plain_json_data,
)

if TYPE_CHECKING:  # who reads claims alone waits for neither
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
Cut: TypeAlias = tuple[str, int]
"""A quantity and the value beyond which states are not followed; ("", 0) follows all."""
CompiledSearch: TypeAlias = Callable[[Game, Target, Cut, int, Sequence[int] | None], str]
"""Goes through more states than the kernel reads, at most so many. Returns why the target is not absent, or "".
Behind a deal, the last argument, there must be exactly so many states, and chance may not act."""
PartReader: TypeAlias = Callable[[Game, str, Json], Json]
"""Reads a part of a claim (`condition`, `number`, `target` and others) in words into data of claim terms. Raises
InputError."""
ClaimPart: TypeAlias = tuple[str, Json]
"""The kind and the words of a part of a claim, of which `reads` in an evidence file says what it is."""
SideBounds: TypeAlias = "tuple[npt.NDArray[Any], npt.NDArray[Any]]"
"""Bounds on one side: those of all states, and those of all ends."""
Proposal: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64] | None]"
BoundsProposer: TypeAlias = "Callable[[Sequence[Any], SideBounds, SideBounds | None], Proposal]"
"""Proposes bounds from below, ranks, and bounds from above of states among which play may circle; from their steps."""


class OtherMeaning(Exception):
    """Raised if the same words of a claim are read as something else than a file says: `then` as the file has it, `now`
    as they are read."""

    def __init__(self, game: Game, kind: str, words: Json, then: Json, now: Json) -> None:
        super().__init__(f"the {kind} {format_data_shortened(words)} is read as something else than the file says")
        self.game, self.kind, self.words, self.then, self.now = game, kind, words, then, now


_NO_SOLVER = "no solver"


@dataclass(eq=False)
class Context:
    """What one run may spend and ask, and what it has settled.

    `work` is Z3's work that may still be spent; a search limits it, the check of a file does not. `second` is
    another solver, from SMT-LIB text to "sat", "unsat" or "unknown"; it gets the questions over integers.
    `compiled` is asked by certificates that say that they rest on compiled code, and by no others. What `propose`
    returns is only a proposal, which the kernel confirms. `swept` is asked as `compiled` is, for chances
    (`layers.sweep_layers_by_compiled_code`). `read` says what the words of a claim are as claim terms: the
    kernel reads none. Without it, words mean what the files say that are checked (`take_reading_of_file`). The same
    words of a game mean the same to all theorems of a context, for what was settled is not asked again.

    `answers` are answers and the work allowed for them, by the digests of the questions; a question is asked
    again only with more work. `settled` is what was shown, each entry with the digest of its game, so that what
    one certificate or file showed serves the next. `steps` are the digests of questions about small steps that were
    answered as wanted (`induction`), in whatever game: `errata` and `depends` begin with those of earlier runs.

    `has_relied_on_solver` says whether what was shown since it was set to False needed a solver. What was settled
    without one is among `settled` too (`settle_and_note_solver`), so that a verdict rests on Z3 only if it needed Z3.
    """

    work: int = 10**15
    second: Callable[[str], str] | None = None
    compiled: CompiledSearch | None = None
    propose: BoundsProposer | None = None
    swept: Callable[..., Any] | None = None
    read: PartReader | None = None
    answers: dict[bytes, tuple[str, int]] = field(default_factory=dict)
    settled: set[tuple[Hashable, ...]] = field(default_factory=set)
    steps: set[bytes] = field(default_factory=set)
    readings: dict[tuple[str, str], dict[str, Json]] = field(default_factory=dict)
    has_relied_on_solver: bool = False
    _made: WeakKeyDictionary[Game, dict[Hashable, Any]] = field(default_factory=WeakKeyDictionary)

    @contextmanager
    def settle_and_note_solver(self, name: Hashable) -> Iterator[None]:
        """While something is settled that has this name, note whether it needs a solver. What fails needs nothing."""
        before, self.has_relied_on_solver = self.has_relied_on_solver, False
        try:
            yield
        except BaseException:
            self.has_relied_on_solver = before
            raise
        if not self.has_relied_on_solver:
            self.settled.add((_NO_SOLVER, name))
        self.has_relied_on_solver |= before

    def needs_solver(self, name: Hashable) -> bool:
        """Return whether what was settled under a name may have needed a solver."""
        return (_NO_SOLVER, name) not in self.settled

    def get_game_digest_cached(self, game: Game) -> str:
        """Return the game's digest, by which theorems know it."""
        return self.get_or_build_for_game(game, "digest", lambda: digest(game))

    def get_or_build_for_game(self, game: Game, cache_key: Hashable, build: Callable[[], T]) -> T:
        """Return what `build` builds for a game, which is built once and lives as long as the game."""
        made = self._made.setdefault(game, {})
        if cache_key not in made:
            made[cache_key] = build()
        return cast(T, made[cache_key])

    def read_claim_part(self, game: Game, kind: str, words: Json) -> Json:
        """Return a part of a claim in words as data of claim terms. Raises InputError, or Unreadable if it has not the
        shape of one, or nobody says what it is."""
        readings, text = self._get_readings_by_words(game, kind), to_canonical_json_text(words)
        if text not in readings:
            if self.read is None:
                raise Unreadable(f"nothing says what the {kind} {format_data_shortened(words)} is")
            with raise_unreadable_for_wrong_shape(f"{format_data_shortened(words)} is no {kind}"):
                readings[text] = to_plain_json_data(self.read(game, kind, words))
        return readings[text]

    def take_reading_of_file(self, game: Game, kind: str, words: Json, data: Json) -> None:
        """Let a part of a claim be what a file says that it is. Raises OtherMeaning if the reader, or an earlier file,
        says otherwise: what was settled of the words would be taken for something else."""
        if self.read is not None:
            self.read_claim_part(game, kind, words)
        known = self._get_readings_by_words(game, kind).setdefault(to_canonical_json_text(words), data)
        if to_canonical_json_text(known) != to_canonical_json_text(data):
            raise OtherMeaning(game, kind, words, data, known)

    def _get_readings_by_words(self, game: Game, kind: str) -> dict[str, Json]:
        """Return what words are known to be. The description decides it, which the digest names; but the laws of a
        family are decided by the cards beside it, so they are kept with the game."""
        if kind == "laws":
            return self.get_or_build_for_game(game, kind, dict[str, Json])
        return self.readings.setdefault((self.get_game_digest_cached(game), kind), {})

    def build_claim_term(self, game: Game, data: ClaimTerm) -> Term:
        """Return the term of data that speaks of one state. Raises Unreadable."""
        key = "claim term", to_canonical_json_text(data)
        return self.get_or_build_for_game(game, key, lambda: ClaimTermBuilder(game).build_term(data))

    def read_condition(self, game: Game, condition_text: str) -> Term:
        """Return the term of a condition in words. Raises InputError."""
        return self.build_claim_term(game, self.read_claim_part(game, "condition", condition_text))

    def read_number(self, game: Game, number_text: str) -> Term:
        """Return the term of a number, which may be named by its plural. Raises InputError."""
        return self.build_claim_term(game, self.read_claim_part(game, "number", number_text))

    def read_target(self, game: Game, target_spec: Json, limit_spec: Json) -> Target:
        """Return the single target of a specification. Raises InputError."""
        data = self.read_claim_part(game, "target", [target_spec, limit_spec])
        return build_target(ClaimTermBuilder(game), data, target_spec)

    @contextmanager
    def limit_z3_work_temporarily(self, max_work: int) -> Iterator[None]:
        """Allow at most so much of Z3's work while this lasts."""
        spare = max(0, self.work - max_work)
        self.work -= spare
        try:
            yield
        finally:
            self.work += spare
