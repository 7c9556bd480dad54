"""Machine code made in the background: a child process compiles a game's functions into the cache on disk, while
plain Python plays on. Compiling takes from a few seconds to a minute and cannot be interrupted; nobody waits for it.

The child is `python -m verifier.warm`, with the case and the part wanted as JSON on its command line.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import playproof

GAMES, EXPLORER, BEAM = "games", "explorer", "beam"
_ROOT = str(Path(playproof.__file__).parent.parent)  # where this process found the package


class Warming:
    """The children of one case, one for each part of its machine code, started when it is first asked for."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = dict(settings)
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._began: dict[str, float] = {}

    def ready(self, part: str) -> bool:
        """Whether a part lies in the cache by now; the first call starts its child, if no other is running. A child
        that failed is done too: whoever compiles for himself then meets its error."""
        if part not in self._children:
            if any(child.poll() is None for child in self._children.values()):
                return False
            self._children[part] = self._start(part)
        return self._children[part].poll() is not None

    @property
    def waiting(self) -> float:
        """Seconds for which a part not ready yet has been compiling; 0.0 where nothing is under way."""
        running = [self._began[p] for p, child in self._children.items() if child.poll() is None]
        return perf_counter() - min(running) if running else 0.0

    def stop(self) -> None:
        """End the children that still run."""
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
                child.wait()

    def _start(self, part: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(p for p in (_ROOT, os.environ.get("PYTHONPATH", "")) if p)
        self._began[part] = perf_counter()
        atexit.register(self.stop)
        command = [sys.executable, "-m", "playproof.verifier.search.machine_code", part, json.dumps(self._settings)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env={**os.environ, "PYTHONPATH": path})


def compile_part(part: str, settings: Mapping[str, Any]) -> None:
    """Call each function of the part once with the least work, which puts its machine code on disk."""
    from playproof.rules.language.explorer import begin, explore
    from playproof.verifier.search import beam
    from playproof.verifier.search.case import Case

    case = Case(**settings, numba=True)
    compiled = case.compiled
    if part == GAMES:
        compiled.playouts(1, 1)
        return
    if part == BEAM:
        beam.warm(case)
        return
    seen = explore(compiled, states=2, seconds=3600.0, go_on=begin(compiled))
    seen.path(seen.states - 1)
    order = seen.order.copy()
    compiled.module.next_layer(seen.packed, order, seen.facts[3])
    compiled.module.split(seen.packed, order, seen.facts[3], seen.layer)


if __name__ == "__main__":
    compile_part(sys.argv[1], json.loads(sys.argv[2]))
