"""The option --cluster: which Dask cluster does the work."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_PATIENCE = 3  # seconds for a scheduler to answer
_STARTING = 60  # seconds for one to start


def cluster_option(*older_names: str) -> Callable[[F], F]:
    """Add --cluster, with its older names."""
    text = "Work on a Dask cluster: its scheduler's address, or a file that says how to start one."
    return click.option("--cluster", *older_names, "cluster", metavar="ADDRESS", help=text)


def connect_to_cluster(address: str | None) -> Any:
    """Return a client of the Dask scheduler at an address, or of the cluster that a file describes; None without an
    address. Raises UsageError if none answers in time."""
    if address is None:
        return None
    distributed = import_optional_package("distributed", "pip install 'playproof[cluster]'")
    file = Path(address)
    if file.is_file():
        return _wait_for_client(lambda: _connect_to_cluster_of_file(distributed, file), address, _STARTING)
    return _wait_for_client(lambda: distributed.Client(address, timeout=_PATIENCE), address, _PATIENCE)


def import_optional_package(name: str, install_command: str) -> Any:
    """Import a package that not everybody installs. Raises UsageError, which says the line that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise click.UsageError(f"--cluster needs the package `{name}`: {install_command}") from None


def _connect_to_cluster_of_file(distributed: Any, file: Path) -> Any:
    """Return a client of the cluster that a file describes: a scheduler's own file (JSON), or one class of
    `dask_jobqueue` with its settings (YAML), of which `jobs` is how many are started."""
    import yaml

    if file.suffix == ".json":
        return distributed.Client(scheduler_file=str(file), timeout=_PATIENCE)
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if not isinstance(content, Mapping) or len(content) != 1:
        raise click.UsageError(f"{file}: expected one class of dask_jobqueue with its settings")
    [(name, settings)] = content.items()
    kind = getattr(import_optional_package("dask_jobqueue", "pip install dask-jobqueue"), str(name), None)
    if kind is None:
        raise click.UsageError(f"{file}: dask_jobqueue has no `{name}`")
    settings = dict(settings or {})
    jobs = settings.pop("jobs", 1)
    cluster = kind(**settings)
    cluster.scale(jobs=jobs)
    return distributed.Client(cluster)


def _wait_for_client(make_client: Callable[[], Any], address: str, timeout_seconds: int) -> Any:
    answer: Queue[Any] = Queue()
    Thread(target=_put_client_or_error_in_queue, args=(make_client, answer), daemon=True).start()
    try:
        client = answer.get(timeout=timeout_seconds)
    except Empty:
        client = TimeoutError("nothing was heard")
    if isinstance(client, click.UsageError):
        raise client
    if isinstance(client, Exception):
        fault = str(client) or type(client).__name__
        raise click.UsageError(
            f"no Dask scheduler answers at `{address}` within {timeout_seconds} seconds ({fault}); "
            "expected an address such as tcp://HOST:8786"
        ) from None
    return client


def _put_client_or_error_in_queue(make_client: Callable[[], Any], queue: Queue[Any]) -> None:
    """Put a client into the queue, or the exception raised instead. Catches all exceptions,
    because anything may answer at the address."""
    try:
        queue.put(make_client())
    except Exception as error:
        queue.put(error)
