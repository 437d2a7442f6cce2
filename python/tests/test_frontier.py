"""Frontier: the life of a URL, what survives a crash, and misuse, which raises."""
import gc
import logging
import os
import subprocess
import sys
from threading import Thread

import pytest

from strata_frontier import (BadArgument, Busy, Closed, Frontier, Link, Mismatch, NotFound, Outcome, State, StrataError)


def test_the_life_of_a_url():
    with Frontier() as f:
        assert f.add("http://a.example/").outcome == Outcome.NEW
        assert f.add("HTTP://A.example:80/#top").outcome == Outcome.SEEN
        assert f.add("mailto:a@b") == (Outcome.NO_URL, 0)
        assert not f.add("mailto:a@b").is_new
        [lease] = f.next()
        assert lease.url == "http://a.example/" and not f.is_finished
        assert f.next() == [] and f.wait_ms is None
        assert [a.is_new for a in f.add_many(["x", "/x", "y"], base=lease.url)] == [True, False, True]
        f.done(lease, State.DONE, 200)
        [lease] = f.next(9)  # one of a host at once
        f.skip(lease, "robots")
        [lease] = f.next(9)
        f.done(lease, State.FAILED)
        assert f.is_finished
        f.sync()
        stats = f.stats()
        assert (stats.done, stats.skipped, stats.failed, stats.queued, stats.keys) == (1, 1, 1, 0, 3)


def test_what_goes_with_a_url_comes_back():
    link = Link(b"not a URL \xff", key=b"k", payload=b"\0payload", group=b"g", priority=-7, depth=3, opaque=True)
    with Frontier(per_host=9) as f:
        answer = f.add(link)
        assert answer.is_new and f.add(link._replace(target=b"other")).outcome == Outcome.SEEN
        [lease] = f.next(9)
        assert lease == (answer.id, link.target, link.payload, link.group, -7, 3, True)
        f.release(lease, payload=b"changed", priority=5)
        [lease] = f.next(9)
        assert (lease.id, lease.payload, lease.priority) == (answer.id, b"changed", 5)
        f.release(lease, payload=b"")
        assert f.next()[0].payload == b""


def test_priorities_and_times():
    now = [1_000_000]
    with Frontier(per_host=99, clock=lambda: now[0]) as f:
        f.add_many(Link(f"http://a.example/{n}", priority=n % 3) for n in range(6))
        assert [lease.url[-1] for lease in f.next(9)] == ["2", "5", "1", "4", "0", "3"]
        f.add(Link("http://a.example/later", not_before_ms=now[0] + 500))
        assert f.next() == [] and f.wait_ms == 500
        now[0] += 500
        assert f.next()[0].url == "http://a.example/later"


def test_a_polite_frontier_waits():
    now = [0]
    with Frontier(delay_ms=1000, clock=lambda: now[0]) as f:
        f.add_many(["http://a.example/1", "http://a.example/2", "http://b.example/"])
        leases = f.next(9)
        assert [lease.url for lease in leases] == ["http://a.example/1", "http://b.example/"]
        f.back_off(leases[0], 5000)
        f.done(leases[0])
        assert f.next() == [] and f.wait_ms == 5000


def test_a_back_off_outlives_the_process(tmp_path):
    now = [1_700_000_000_000]
    with Frontier(tmp_path / "crawl", clock=lambda: now[0]) as f:
        f.add_many(["http://a.example/1", "http://a.example/2"])
        lease = f.next()[0]
        f.back_off(lease, 60_000)
        f.done(lease)
    now[0] += 20_000
    with Frontier(tmp_path / "crawl", clock=lambda: now[0]) as f:
        assert f.next() == [] and f.wait_ms == 40_000


def test_seen_without_queueing():
    own = Link("http://a.example/own", key=b"own")
    with Frontier() as f:
        assert f.note("http://a.example/").outcome == Outcome.NEW
        assert f.lookup("http://a.example/").outcome == Outcome.SEEN
        assert f.lookup("http://a.example/b").outcome == Outcome.NEW
        assert f.lookup("no URL").outcome == Outcome.NO_URL
        assert f.next() == []
        assert not f.knows(b"own")
        f.note(own)
        assert f.knows(b"own")
        assert f.forget(own) and not f.forget(own) and not f.knows(b"own")
        assert f.force("http://a.example/").outcome == Outcome.SEEN
        assert f.next()[0].url == "http://a.example/"


def test_all_is_there_after_closing(tmp_path):
    with Frontier(tmp_path / "f", key_scheme="mine", journal=tmp_path / "journal") as f:
        f.add_many(f"http://h{n}.example/" for n in range(50))
        f.put("note", b"\0value")
        leases = f.next(20)
        for lease in leases[:10]:
            f.done(lease, report=b"done")
    with Frontier(tmp_path / "f", key_scheme="mine", journal=tmp_path / "journal") as f:
        assert f.stats().queued == 40 and f.get("note") == b"\0value" and f.get("other") is None
        assert len(f.next(99)) == 40
    assert (tmp_path / "journal").read_text() == "done\n" * 10
    with pytest.raises(Mismatch, match="mine"):
        Frontier(tmp_path / "f", key_scheme="yours", journal=tmp_path / "journal")


def test_nothing_committed_is_lost_by_a_kill(tmp_path):
    """A child adds URLs, ends some, says how far it has committed, and is killed."""
    child = """if True:
        import itertools, sys
        from strata_frontier import Frontier
        f = Frontier(sys.argv[1], per_host=9)
        for n in itertools.count():
            f.add_many(f"http://a.example/{n}/{m}" for m in range(10))
            for lease in f.next(5):
                f.done(lease)
            f.sync()
            print(n, flush=True)
    """
    committed = 0
    for run in range(3):
        with subprocess.Popen([sys.executable, "-c", child, tmp_path / "f"], stdout=subprocess.PIPE) as process:
            for _ in range(20 + run):
                committed = max(committed, int(process.stdout.readline()))
            process.kill()
        with Frontier(tmp_path / "f") as f:
            stats = f.stats()
            assert stats.done + stats.queued == stats.keys >= 10 * (committed + 1)
            known = [f"http://a.example/{n}/{m}" for n in range(committed + 1) for m in range(10)]
            assert {f.lookup(url).outcome for url in known} == {Outcome.SEEN}


def test_exact_keys_lose_nothing(tmp_path):
    urls = [f"http://h{n % 100}.example/{n}" for n in range(20_000)]
    with Frontier(tmp_path / "f", exact=True, rate=0.3, per_host=99, expected_urls=1000) as f:
        outcomes = set()
        for begin in range(0, len(urls), 1000):
            outcomes |= {answer.outcome for answer in f.add_many(urls[begin:begin + 1000])}
            f.sync()
        assert Outcome.UNCONFIRMED in outcomes and Outcome.SEEN not in outcomes
        got = set()
        while not f.is_finished:
            for lease in f.next(1000):
                got.add(lease.url)
                f.done(lease)
        assert got == set(urls) and f.stats().late > 0


def test_misuse_raises(tmp_path):
    with Frontier(tmp_path / "f") as f:
        with pytest.raises(Busy):
            Frontier(tmp_path / "f")
        for call in (lambda: f.done(77), lambda: f.release(77), lambda: f.back_off(77, 1)):
            with pytest.raises(NotFound):
                call()
        for link in (Link("x", opaque=True), Link("http://a/", payload=bytes(70_000)), Link("http://a/", group=b"\0"),
                     Link("http://a/", priority=1 << 40)):
            with pytest.raises(BadArgument):
                f.add(link)
        with pytest.raises(BadArgument, match="base"):
            f.add("x", base="base")
        with pytest.raises(BadArgument):
            f.skip(f.add("http://a/").id, "a\0b")
        with pytest.raises(TypeError):
            f.add(5)
        with pytest.raises(ValueError):
            f.next(-1)
    f.close()
    for call in (f.next, f.sync, f.stats, f.wake_fd, lambda: f.add("http://a/"), lambda: f.is_finished,
                 lambda: f.get("a"), lambda: f.done(1), lambda: f.knows(b"k")):
        with pytest.raises(Closed):
            call()
    for wrong in ({"rate": 7}, {"filter": "sieve"}, {"profile": "lax"}, {"secret": b"x"}, {"directory": "a\0b"},
                  {"key_scheme": "two\nlines"}, {"exact": True}):
        with pytest.raises(BadArgument):
            Frontier(**wrong)
    (tmp_path / "file").write_text("text")
    with pytest.raises(StrataError, match="file"):
        Frontier(tmp_path / "file")


def test_a_forgotten_close_is_said(tmp_path):
    f = Frontier(tmp_path / "f")
    f.add("http://a.example/")
    with pytest.warns(ResourceWarning, match="not closed"):
        del f
        gc.collect()
    with Frontier(tmp_path / "f", read_only=True) as f:
        assert f.stats().queued == 1


def test_a_child_cannot_use_it(tmp_path):
    with Frontier(tmp_path / "f") as f:
        f.add("http://a.example/")
        child = os.fork()
        if child == 0:
            try:
                f.close()
                f.next()
            except Closed as refusal:
                os._exit(7 if "parent" in str(refusal) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(f.next()) == 1


def test_a_close_amid_the_calls_of_threads():
    for _ in range(20):
        f, ends = Frontier(per_host=99), []

        def work(frontier=f, ends=ends):
            try:
                for n in range(10**9):
                    frontier.add(f"http://a.example/{n}")
                    frontier.next()
            except Closed:
                ends.append("closed")

        threads = [Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        f.next()
        f.close()
        for thread in threads:
            thread.join()
        assert ends == ["closed"] * 3


def test_the_library_logs_to_logging(tmp_path, caplog):
    with caplog.at_level(logging.INFO, "strata_frontier"):
        with Frontier(tmp_path / "f", expected_urls=100) as f:
            f.add_many(f"http://a.example/{n}" for n in range(60_000))
            f.sync()
            f.next()
    assert any("filter" in record.getMessage() for record in caplog.records)
