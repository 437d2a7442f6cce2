"""Whole crawls of a site by Scrapy: our scheduler beside Scrapy's own.

    crawls.py pairs [--pages N] [--pairs N] [--scrapy DIR] [--sqlite]   pages a second and CPU time a page, in turns
    crawls.py alone [--pages N] [--pairs N] [--scrapy DIR] [--sqlite]   the same of the schedulers without a crawl
    crawls.py kills [--pages N] [--kills N] [--seed N]                  kill -9 at random moments, then what was lost

The site is served by nginx from 127.0.0.1. --scrapy: a Scrapy other than the installed one, from its sources;
--sqlite: its queues in SQLite are a third way to crawl. strata_frontier must be importable.
"""
import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
WALK = HERE.parent / "tests/walk.py"
sys.path.insert(0, str(HERE.parent / "tests"))
from web import links_of  # noqa: E402

STOCK = ["SCHEDULER=scrapy.core.scheduler.Scheduler", "REQUEST_FINGERPRINTER_IMPLEMENTATION=2.7"]
WAYS = {
    "ours": ["SCHEDULER=strata_frontier.scrapy.Scheduler"],
    "stock": STOCK,
    "sqlite": [*STOCK, "SCHEDULER_DISK_QUEUE=scrapy.squeues.PickleLifoSQLiteQueue",
               "SCHEDULER_START_DISK_QUEUE=scrapy.squeues.PickleFifoSQLiteQueue"],
}


@contextmanager
def served(pages):
    """The URL of a site of so many pages."""
    with tempfile.TemporaryDirectory() as work, socket.socket() as free:
        site = Path(work, "site")
        site.mkdir()
        os.chmod(work, 0o755)
        for page in range(pages):
            links = [f'<a href="/{link}">page {link}</a>\n' for link in links_of(page, pages)]
            (site / str(page)).write_text("<p>some words of text here</p>\n" * 20 + "".join(links))
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        paths = "".join(f"{name}_temp_path {work}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        Path(work, "nginx.conf").write_text(
            f"daemon off; pid {work}/pid; error_log {work}/log; events {{}} http {{ access_log off; {paths} "
            f"default_type text/html; keepalive_requests 1000000; server {{ listen 127.0.0.1:{port}; root {site}; }} }}")
        nginx = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/0"
        finally:
            nginx.terminate()
            nginx.wait()


def command(url, work, settings):
    return [sys.executable, str(WALK), url, f"{work}/job", f"{work}/parsed", "CONCURRENT_REQUESTS_PER_DOMAIN=16", *settings]


def parsed(work):
    return [int(line.rsplit("/", 1)[1]) for line in Path(work, "parsed").read_text().split()]


def one_crawl(url, way, environment):
    """Pages a second, and microseconds of CPU time a page, of all threads."""
    with tempfile.TemporaryDirectory() as work:
        began = time.monotonic()
        process = subprocess.Popen(command(url, work, WAYS[way]), env=environment)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        assert status == 0, way
        pages = len(set(parsed(work)))
        return pages, pages / seconds, (used.ru_utime + used.ru_stime) * 1e6 / pages, used.ru_maxrss / 1024


def of_scrapy(arguments):
    """The environment, with the Scrapy that is asked for."""
    environment = dict(os.environ)
    if arguments.scrapy:
        environment["PYTHONPATH"] = f"{Path(arguments.scrapy).resolve()}:{environment.get('PYTHONPATH', '')}"
    return environment


def pairs(arguments):
    environment = of_scrapy(arguments)
    with served(arguments.pages) as url:
        compare(arguments, lambda way: one_crawl(url, way, environment))


def alone(arguments):
    """Each page's links are queued, and the next request is taken: what a crawl is to a scheduler."""
    environment = of_scrapy(arguments)
    program = [sys.executable, str(HERE.parent / "tests/alone.py"), str(arguments.pages)]

    def one_run(way):
        with tempfile.TemporaryDirectory() as work:
            printed = subprocess.check_output([*program, f"{work}/job", *WAYS[way]], env=environment)
        pages, seconds, cpu, memory = map(float, printed.split())
        return int(pages), pages / seconds, cpu * 1e6 / pages, memory

    compare(arguments, one_run)


def compare(arguments, one_run):
    ways = ["ours", "stock", *(["sqlite"] if arguments.sqlite else [])]
    got = {way: [] for way in ways}
    for number in range(arguments.pairs):
        for way in ways if number % 2 == 0 else reversed(ways):
            pages, rate, cpu, memory = one_run(way)
            assert pages == arguments.pages, f"{way}: {pages} pages"
            got[way].append((rate, cpu))
            print(f"{number:2} {way:6} {rate:7.1f} pages/s {cpu:6.0f} us of CPU a page {memory:5.0f} MB", flush=True)
    for way in ways[1:]:
        for what, column in (("pages/s", 0), ("CPU a page", 1)):
            shares = [ours[column] / theirs[column] for ours, theirs in zip(got["ours"], got[way])]
            print(f"ours / {way}, {what}: median {statistics.median(shares):.3f} of {len(shares)} pairs, "
                  f"{min(shares):.3f} to {max(shares):.3f}")


def kills(arguments):
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    chosen, killed = random.Random(seed), 0
    with served(arguments.pages) as url, tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as other:
        subprocess.run(command(url, other, WAYS["ours"]), check=True)
        control = set(parsed(other))
        code = None
        while code is None:
            process = subprocess.Popen(command(url, work, WAYS[arguments.way]))
            try:
                code = process.wait(chosen.uniform(1, arguments.longest) if killed < arguments.kills else None)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
        pages = parsed(work)
    print(f"seed {seed}: {killed} kills, then exit code {code}; {len(control)} pages without a kill, {len(set(pages))} with,"
          f" {len(control - set(pages))} lost, {len(pages) - len(set(pages))} parsed again")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["pairs", "alone", "kills"])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--longest", type=float, default=5.0, help="seconds until a kill, at most")
    parser.add_argument("--way", choices=WAYS, default="ours")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--scrapy")
    parser.add_argument("--sqlite", action="store_true")
    arguments = parser.parse_args()
    {"pairs": pairs, "alone": alone, "kills": kills}[arguments.what](arguments)


if __name__ == "__main__":
    main()
