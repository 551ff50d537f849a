"""The bulk around the story: log lines, test listings, table rows, as the tools of such a team print them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

__all__ = ["expand"]

TESTS = Path(__file__).with_name("tests.txt")
TENANTS = ("hh-01", "sh-04", "os-02", "lx-03", "pr-05", "vi-06")
CUSTOMERS = {
    "hh-01": (
        "Elbkontor GmbH",
        "Hansen & Söhne KG",
        "Nordlicht Verlag",
        "Alster Reederei AG",
        "Speicher 7 GbR",
    ),
    "sh-04": (
        "上海云帆贸易有限公司",
        "浦东精密仪器厂",
        "申江物流股份公司",
        "虹桥文化传播公司",
        "松江纺织集团",
    ),
    "os-02": (
        "株式会社淀川製作所",
        "なにわ物産合同会社",
        "北浜商事株式会社",
        "天満印刷株式会社",
        "道頓堀フーズ",
    ),
}
ROUTES = (  # what is asked, and the status that it usually gives
    ("GET /v2/exports/{job}/status", 200),
    ("GET /v2/exports/{job}/status", 304),
    ("GET /v2/exports/{job}/file", 200),
    ("GET /v2/exports/{job}/file", 404),
    ("POST /v2/exports", 202),
    ("GET /v2/tenants/{tenant}/settings", 200),
    ("GET /healthz", 200),
)
ACCOUNTS = {7: 8300, 19: 8400}


def moments(rng: random.Random, start: str, low: float, high: float) -> Iterator[datetime]:
    """Times that go forward by a random step of low to high seconds."""
    moment = datetime.fromisoformat(start)
    while True:
        yield moment
        moment += timedelta(seconds=rng.uniform(low, high))


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds") + "Z"


def access(rng: random.Random, start: str, lines: str, tenant: str = "") -> Iterator[str]:
    """The API's access log."""
    for moment in islice(moments(rng, start, 0.4, 9), int(lines)):
        who = tenant or rng.choice(TENANTS)
        ((route, status),) = rng.choices(ROUTES, (40, 12, 15, 1, 8, 12, 12))
        route = route.format(job=f"exp-{rng.randrange(16**4):04x}", tenant=who)
        yield (
            f"{stamp(moment)} INFO  api[{rng.randrange(4, 9)}] {who} {route} {status} "
            f"{rng.lognormvariate(3.2, 0.7):.0f}ms req={rng.randrange(16**8):08x}"
        )


def worker(
    rng: random.Random, start: str, job: str, tenant: str, rows: str, step: str, slow: str = "1"
) -> Iterator[str]:
    """An export job's progress, page by page; `slow` is the time of a page in seconds."""
    total, size = int(rows), int(step)
    clock = moments(rng, start, float(slow) * 0.8, float(slow) * 1.3)
    yield f"{stamp(next(clock))} INFO  worker[2] {job} started tenant={tenant} rows={total} page={size}"
    for done in range(size, total + size, size):
        took = rng.uniform(0.8, 1.3) * float(slow)
        yield (
            f"{stamp(next(clock))} DEBUG worker[2] {job} page {done // size} of {-(-total // size)} "
            f"written={min(done, total)} took={took:.2f}s rss={rng.randrange(180, 260)}MB"
        )


def lookups(rng: random.Random, start: str, lines: str) -> Iterator[str]:
    """The database's statement log while one customer after the other is fetched."""
    for moment in islice(moments(rng, start, 0.0011, 0.0017), int(lines)):
        yield (
            f"{moment.isoformat(timespec='microseconds')[11:]} LOG:  "
            f"duration: {rng.uniform(0.9, 1.6):.3f} ms  "
            f"statement: SELECT * FROM customers WHERE id = {rng.randrange(70100, 98700)}"
        )


def invoices(rng: random.Random, start: str, tenant: str, rows: str, first: str) -> Iterator[str]:
    """Rows of the invoice table as psql prints them."""
    currency = {"hh-01": "EUR", "sh-04": "CNY", "os-02": "JPY"}[tenant]
    for number, moment in enumerate(islice(moments(rng, start, 3, 240), int(rows)), int(first)):
        net = rng.uniform(180, 9800)
        yield (
            f" {number} | {moment.isoformat(sep=' ', timespec='seconds')}+00 | {net:>9.2f} | "
            f"{net * 1.06:>9.2f} | {currency} | {rng.choice(CUSTOMERS[tenant])}"
        )


def csv(rng: random.Random, start: str, tenant: str, rows: str, first: str) -> Iterator[str]:
    """Lines of an exported file."""
    for number, moment in enumerate(islice(moments(rng, start, 900, 14000), int(rows)), int(first)):
        net, rate = rng.uniform(40, 4200), rng.choice((7, 19))
        yield (
            f"{net * (1 + rate / 100):.2f};S;EUR;{rng.randrange(10000, 69999)};"
            f"{ACCOUNTS[rate]};{moment:%d%m};R-{number};{rng.choice(CUSTOMERS[tenant])};{rate}"
        ).replace(".", ",")


def listing(
    _: random.Random, only: str = "", skip: str = "", failed: str = "", error: str = "FAILED"
) -> Iterator[str]:
    """A verbose listing of pytest: tests whose names hold `only` and not `skip` (words between commas)."""
    wanted, unwanted, bad = ([word for word in words.split(",") if word] for words in (only, skip, failed))
    names = TESTS.read_text("utf-8").split()
    names = [name for name in names if not wanted or any(word in name for word in wanted)]
    names = [name for name in names if not any(word in name for word in unwanted)]
    for index, name in enumerate(names, 1):
        verdict = error if any(name.endswith(word) for word in bad) else "PASSED"
        yield f"{name} {verdict} [{100 * index // len(names):3d}%]"


def canary(rng: random.Random, start: str, steps: str, errors: str, version: str) -> Iterator[str]:
    """What the deployment tool prints while it watches a new version."""
    for moment in islice(moments(rng, start, 30, 30), int(steps)):
        yield (
            f"{moment:%H:%M:%S} {version} ready=2/2 rps={rng.uniform(11, 19):.1f} "
            f"p50={rng.uniform(18, 26):.0f}ms p95={rng.uniform(90, 160):.0f}ms "
            f"errors={float(errors) * rng.uniform(0.7, 1.2):.2f}% queue={rng.randrange(0, 6)} restarts=0"
        )


KINDS: dict[str, Callable[..., Iterator[str]]] = {
    each.__name__: each for each in (access, worker, lookups, invoices, csv, listing, canary)
}


def expand(lines: Iterable[str], rng: random.Random) -> Iterator[str]:
    """Lines of a tool's output, with every `%% KIND option=value …` replaced by what it stands for."""
    for line in lines:
        if line.startswith("%% "):
            kind, *options = line.split()[1:]
            yield from KINDS[kind](rng, **dict(option.split("=", 1) for option in options))
        else:
            yield line
