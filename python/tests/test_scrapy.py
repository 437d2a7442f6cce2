"""The scheduler and the duplicate filter of Scrapy: by their calls, and in whole crawls."""
import logging
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

scrapy = pytest.importorskip("scrapy", reason="python3-scrapy is not installed")

from engine import Request, Run, Spider  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402
from web import Site  # noqa: E402

from strata_frontier import BadArgument, Frontier, Mismatch  # noqa: E402
from strata_frontier.scrapy import DupeFilter  # noqa: E402

AWARE = "scrapy.pqueues.DownloaderAwarePriorityQueue"


def names(requests):
    return [request.url.rsplit("/", 1)[1] for request in requests]


def test_a_request_comes_back_as_it_was(tmp_path):
    request = scrapy.http.JsonRequest("http://a.example/?a b", method="PUT", data={"a": [1, 2]}, priority=3,
                                      headers={"X": "y"}, cookies={"c": "d"}, meta={"m": (1,)}, cb_kwargs={"k": None}, flags=["f"],
                                      dont_filter=True)
    with Run(tmp_path) as run:
        request = request.replace(callback=run.crawler.spider.parse)
        assert run.add(request) == [True]
        [got] = run.take()
        assert type(got) is type(request)
        assert got.to_dict(spider=run.crawler.spider) == request.to_dict(spider=run.crawler.spider)


def test_what_was_not_parsed_comes_again(tmp_path):
    with Run(tmp_path) as run:
        assert run.add("a", "b", "c", "a", "d") == [True, True, True, False, True]
        assert run.stat("dupefilter/filtered") == 1 and run.stat("scheduler/enqueued/disk") == 4
        first = run.take(3)
        assert names(first) == ["a", "b", "c"] and len(run.scheduler) == 1
        run.finish(first[0], first[2])
    with Run(tmp_path) as run:
        assert len(run.scheduler) == 2 and run.scheduler.has_pending_requests()
        assert run.add("a", "b", "e") == [False, False, True]
        last = run.take()
        assert names(last) == ["b", "d", "e"]
        run.finish(*last)
        assert not run.scheduler.has_pending_requests()
    with Run(tmp_path) as run:
        assert run.take() == []


def test_order(tmp_path):
    with Run(tmp_path) as run:
        run.add(*(Request(f"http://{n % 3}.example/{n}", priority=n % 2) for n in range(6)))
        assert names(run.take()) == ["1", "3", "5", "0", "2", "4"]


def test_hosts_apart(tmp_path):
    with Run(tmp_path, SCHEDULER_PRIORITY_QUEUE=AWARE, CONCURRENT_REQUESTS_PER_DOMAIN=1) as run:
        run.add(*(Request(f"http://slow.example/{n}") for n in range(9)), "http://b.example/b", "http://c.example/c")
        got = run.take()
        assert sorted(names(got)) == ["0", "1", "b", "c"]
        run.finish(got[names(got).index("0")])
        assert names(run.take()) == ["2"]


def test_unfiltered_requests_are_queued_each_time(tmp_path):
    with Run(tmp_path) as run:
        assert run.add(*[Request("a", dont_filter=True)] * 3) == [True] * 3
        assert run.add("a", "a") == [True, False]
        assert names(run.take()) == ["a"] * 4


def test_starts_are_not_fetched_again(tmp_path):
    starts = [Request(name, dont_filter=True) for name in "aabc"]
    with Run(tmp_path, starts[:3]) as run:
        assert run.start() == [True] * 3
        got = run.take(2)
        run.finish(*got)
        retry = got[0].replace(meta={"retry_times": 1})
        assert run.add(retry) == [True]
        run.finish(*[request for request in run.take() if request.meta])
    with Run(tmp_path, starts) as run:
        assert run.start() == [False, False, False, True] and run.stat("strata/known_starts") == 3
        assert names(run.take()) == ["b", "c"]
    with Run(tmp_path, starts, STRATA_START_AGAIN=True) as run:
        assert run.start() == [True] * 4


def test_starts_of_newer_versions_are_marked(tmp_path):
    for answer in (True, False):
        with Run(tmp_path) as run:
            assert run.add(Request("a", dont_filter=True, meta={"is_start_request": True})) == [answer]
            redirected = Request("b", dont_filter=True, meta={"is_start_request": True, "redirect_times": 1})
            assert run.add(redirected) == [True]


def test_what_cannot_be_stored_stays_in_memory(tmp_path, caplog):
    with Run(tmp_path) as run:
        odd = [Request("a", callback=lambda response: None), Request("b", body=bytes(70_000)),
               Request("c", meta={"lock": logging.Handler().lock})]
        with caplog.at_level(logging.WARNING):
            assert run.add(*odd, odd[0], "d") == [True, True, True, False, True]
        assert len([r for r in caplog.records if "Unable to serialize" in r.getMessage()]) == 1
        assert run.stat("scheduler/unserializable") == 3 and len(run.scheduler) == 4
        got = run.take()
        assert set(got) >= set(odd)
        run.finish(*got[:2])
    with Run(tmp_path) as run:  # the one that was not parsed can be found again
        assert sorted(run.add(*odd)) == [False, False, True]


def test_an_engine_without_a_slot_is_said(tmp_path, caplog):
    with Run(tmp_path) as run:
        run.add("http://a.example/1")
    assert not caplog.records and run.crawler.stats.get_value("strata/unwatched") is None
    again = Run(tmp_path)
    again.crawler.engine.slot = None
    with again:
        assert "no slot" in caplog.text and again.crawler.stats.get_value("strata/unwatched")
        assert [request.url for request in again.take()] == ["http://a.example/1"]
    with Run(tmp_path) as run:
        assert run.take() == []  # it counts as done


def test_more_keys_than_are_kept_at_hand(tmp_path, monkeypatch):
    monkeypatch.setattr("strata_frontier.scrapy.RECENT", 4)
    urls = [f"http://a.example/{n}" for n in range(20)]
    with Run(tmp_path) as run:
        assert run.add(*urls) == [True] * 20
        for _ in range(2):
            assert run.add(*urls) == [False] * 20


def test_a_url_alone_needs_no_second_fingerprint(tmp_path, monkeypatch):
    with Run(tmp_path) as run:
        fingerprinter = run.crawler.request_fingerprinter
        asked, fingerprint = [], fingerprinter.fingerprint
        monkeypatch.setattr(fingerprinter, "fingerprint", lambda request: asked.append(request) or fingerprint(request))
        assert run.add("a", "a", "a?c=1&b=2", "a?b=2&c=1") == [True, False, True, False] and len(asked) == 3
        other = [Request("a", method="POST"), Request("a", body="b"), Request("a", meta={"verbatim_url": True})]
        assert run.add(*other)[:2] == [True, True] and len(asked) == 6
        assert run.add(*other) == [False] * 3


class ByColour:
    def fingerprint(self, request):
        return request.meta["colour"].encode()


def test_other_fingerprinters_are_asked_each_time(tmp_path):
    with Run(tmp_path, REQUEST_FINGERPRINTER_CLASS=ByColour) as run:
        red, blue = (Request("a", meta={"colour": colour}) for colour in ["red", "blue"])
        assert run.add(red, blue, red) == [True, True, False]


def test_commits_may_be_rarer(tmp_path):
    with Run(tmp_path, STRATA_COMMIT_AFTER_MS=3_600_000) as run:
        run.add("http://a.example/1")
        run.take()
        time.sleep(0.2)
        assert run.take() == []
        assert committed(tmp_path) == 0
    assert committed(tmp_path) == 1


def committed(jobdir):
    """How many wait on disk, as after a crash now."""
    copy = shutil.copytree(jobdir / "strata.frontier", jobdir / "copy", dirs_exist_ok=True)
    with Frontier(copy, read_only=True, keep_identity=True) as frontier:
        return frontier.stats().queued


def test_a_stock_queue_is_refused(tmp_path):
    (tmp_path / "requests.queue").mkdir()
    with pytest.raises(BadArgument, match="finish that crawl"):
        Run(tmp_path)


def test_other_fingerprints_are_refused(tmp_path):
    with Run(tmp_path):
        pass
    with pytest.raises(Mismatch, match="2.7"):
        Run(tmp_path, REQUEST_FINGERPRINTER_IMPLEMENTATION="2.6").__enter__()


def test_a_duplicate_filter_of_the_users_decides(tmp_path):
    with Run(tmp_path, DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter") as run:
        assert run.add("a", "a") == [True, True] and names(run.take()) == ["a", "a"]


def test_without_jobdir_it_is_scrapys_own():
    with Run(None) as run:
        assert run.add("a", "b", "a") == [True, True, False] and names(run.take()) == ["b", "a"]


def test_exact_keys_lose_nothing(tmp_path):
    with Run(tmp_path, STRATA_EXACT=True, STRATA_RATE=0.3, STRATA_EXPECTED_URLS=100) as run:
        for n in range(3000):
            assert run.add(f"{n}") == [True]
            if n % 100 == 0:
                run.scheduler.frontier.sync()
        got = []
        while run.scheduler.has_pending_requests():
            new = run.take()
            run.finish(*new)
            got += names(new)
        assert sorted(got, key=int) == [str(n) for n in range(3000)]
        assert run.scheduler.frontier.stats().late > 0


def test_a_request_that_cannot_be_read_is_said(tmp_path, caplog):
    with Run(tmp_path) as run:
        Spider.parse_it = lambda self, response: None
        run.add(Request("a", callback=run.crawler.spider.parse_it), "b")
        del Spider.parse_it
    with Run(tmp_path) as run:
        assert names(run.take()) == ["b"] and run.stat("strata/unusable") == 1
        assert "cannot be used: http://a.example/a" in caplog.text


def test_a_full_disk_marks_nothing_as_done(tmp_path, monkeypatch, caplog):
    from strata_frontier import NoSpace

    with Run(tmp_path) as run:
        run.add("a")
        [parent] = run.take()

        def full(link):
            raise NoSpace("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(run.scheduler.frontier, "add", full)
            assert run.add("b") == [True] and "the disk is full" in caplog.text
        run.finish(parent)
        assert names(run.take()) == ["b"]
    with Run(tmp_path) as run:
        assert names(run.take()) == ["a"] and run.add("b") == [True]


@pytest.mark.parametrize("jobdir", [True, False])
def test_the_duplicate_filter_alone(tmp_path, jobdir):
    def opened():
        crawler = get_crawler(Spider, {"JOBDIR": str(tmp_path) if jobdir else None,
                                       "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7"})
        return DupeFilter.from_crawler(crawler)

    seen = opened()
    assert [seen.request_seen(Request(f"{n % 300}")) for n in range(600)] == [False] * 300 + [True] * 300
    seen.close("finished")
    seen = opened()
    assert seen.request_seen(Request("7")) == jobdir
    seen.close("finished")


def test_a_subclass_of_the_duplicate_filter_may_be_made_from_settings():
    class Own(DupeFilter):
        @classmethod
        def from_settings(cls, settings, **named):
            made = super().from_settings(settings, **named)
            made.is_own = True
            return made

    crawler = get_crawler(Spider, {"REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7"})
    assert Own.from_crawler(crawler).is_own


@pytest.mark.parametrize("scheduler", ["strata_frontier.scrapy.Scheduler", "scrapy.core.scheduler.Scheduler"])
def test_a_scheduler_alone_reaches_all_pages(tmp_path, scheduler):
    alone = [sys.executable, Path(__file__).with_name("alone.py"), "200", tmp_path / "job", f"SCHEDULER={scheduler}"]
    assert subprocess.run(alone, check=True, stdout=subprocess.PIPE).stdout.split()[0] == b"200"


def walk(site, tmp_path, *settings):
    return [sys.executable, Path(__file__).with_name("walk.py"), f"{site.url}/0", tmp_path / "job", tmp_path / "parsed",
            *settings]


def parsed(tmp_path):
    return [line.rsplit("/", 1)[1] for line in (tmp_path / "parsed").read_text().split()]


def test_a_whole_crawl_and_a_second_run(tmp_path):
    with Site(150) as site:
        subprocess.run(walk(site, tmp_path), check=True)
        assert sorted(set(map(int, parsed(tmp_path)))) == list(range(150))
        asked = len(site.asked)
        subprocess.run(walk(site, tmp_path), check=True)
        assert len(site.asked) == asked
    with Frontier(tmp_path / "job/strata.frontier", read_only=True, keep_identity=True) as frontier:
        assert frontier.stats().queued == 0


def commit_seed():
    """As random.h in tests/site has it: another one for each commit, the same for its second run."""
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=os.path.dirname(__file__), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout
    return int(os.environ.get("STRATA_SEED") or int(said[:7] or b"1", 16))


def test_nothing_is_lost_by_kill_9(tmp_path):
    """Killed at random moments, and run again until it ends: the pages that were parsed are all."""
    seed = commit_seed()
    print(f"seed {seed}")
    chosen, kills = random.Random(seed), 0
    with Site(800) as site:
        for _ in range(40):
            process = subprocess.Popen(walk(site, tmp_path))
            try:
                code = process.wait(chosen.uniform(0.8, 2.5) if kills < 5 else 1800)
                assert code == 0
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
    pages = parsed(tmp_path)
    assert kills >= 2
    assert sorted(set(map(int, pages))) == list(range(800))
    assert len(pages) - len(set(pages)) < 800
