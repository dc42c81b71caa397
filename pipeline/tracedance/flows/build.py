"""A build as a Prefect flow: the same steps as `construct.build`, each group of shards and each batch a task of its own.

Wiring only. Tasks are given paths and names and hand nothing on: what a step made lies in the run folder, and that, not Prefect's cache,
says what is done. A flow that was killed is simply run again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tracedance.construct import build as plain
from tracedance.construct import steps
from tracedance.construct.run import RECEIPT, held, reopen, start
from tracedance.flows.engine import prepare
from tracedance.models.config import load
from tracedance.schema import Outcome, Request
from tracedance.store.store import Store
from tracedance.synthesis.requesting import understood

prepare()

from prefect import flow, task  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.futures import PrefectFuture  # noqa: E402
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner  # noqa: E402

AT_ONCE = 2
"""Groups of shards scanned at a time."""
RUNNER = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner(max_workers=AT_ONCE))


def build(request: Request | str, store: Path, profile: str | None, out: Path) -> Outcome:
    """Build `request`, or what a sentence asks for, under Prefect; the same files as the plain build of the same request and store.

    A sentence goes through the door that commands use: it is read and matched, and a family is written where there is none.
    """
    if isinstance(request, str):
        read = understood(request, (), {}, (store, load(profile), None)).request
        return build(read, store, profile, out) if isinstance(read, Request) else read
    with plain.confirming(load(profile), store) as confirmer:
        if refused := plain.uncheckable(request, confirmer):
            return refused
        run = start(request, Store.open(store), confirmer)
    with held(run.path):
        build_benchmarks(run.path, store, profile, out)
    return plain.outcome_of(run.path / RECEIPT)


@flow(name="tracedance build", task_runner=RUNNER, persist_result=False, retries=0)
def build_benchmarks(run: Path, store: Path, profile: str | None, out: Path) -> None:
    """Scan group by group, then confirm and cut batch by batch, then publish."""
    opened = reopen(run)
    scans = [scan_group.submit(run, store, group) for group in range(opened.groups)]
    for scan in scans:
        scan.result()
    deal(run, store)
    for family in opened.benchmarks:
        for name in opened.batches(family):
            confirm_batch(run, store, name, profile)
            cut_batch(run, store, name)
        probe_family(run, store, family, profile)
    publish(run, store, out)


@task(persist_result=False, cache_policy=NO_CACHE, retries=0, task_run_name="scan {group}")
def scan_group(run: Path, store: Path, group: int) -> None:
    """Scan one group of shards."""
    steps.scan_group(reopen(run), Store.open(store), group)


@task(persist_result=False, cache_policy=NO_CACHE, retries=0)
def deal(run: Path, store: Path) -> None:
    """Deal the candidates into batches."""
    steps.make_batches(reopen(run), Store.open(store))


@task(persist_result=False, cache_policy=NO_CACHE, retries=0, task_run_name="confirm {name}")
def confirm_batch(run: Path, store: Path, name: str, profile: str | None) -> None:
    """Confirm one batch."""
    opened, at = reopen(run), Store.open(store)
    with plain.confirming(load(profile), store) as confirmer, plain.paying(opened, at, confirmer) as payer:
        steps.confirm_batch(opened, at, name, payer)


@task(persist_result=False, cache_policy=NO_CACHE, retries=0, task_run_name="cut {name}")
def cut_batch(run: Path, store: Path, name: str) -> None:
    """Cut one batch."""
    steps.cut_batch(reopen(run), Store.open(store), name)


@task(persist_result=False, cache_policy=NO_CACHE, retries=0, task_run_name="probe {family}")
def probe_family(run: Path, store: Path, family: str, profile: str | None) -> None:
    """Ask about the places of a family's recall probe."""
    opened, at = reopen(run), Store.open(store)
    with plain.confirming(load(profile), store) as confirmer, plain.paying(opened, at, confirmer) as payer:
        steps.probe_family(opened, at, family, payer)


@task(persist_result=False, cache_policy=NO_CACHE, retries=0)
def publish(run: Path, store: Path, out: Path) -> None:
    """Assemble and publish; the outcome lies in the run folder's receipt."""
    plain.finish(reopen(run), Store.open(store), out)
