"""A plugin of pytest: Scrapy's own tests on our scheduler, run in a source tree of Scrapy.

    cd SCRAPY && PYTHONPATH=$PWD:PACKAGE:HERE python3 -m pytest -p scrapys_tests --scheduler WAY tests/test_engine.py ...

PACKAGE: where strata_frontier lies; HERE: this directory. WAY:

    jobdir       every crawler has a JOBDIR of its own and our scheduler, unless the test says otherwise
    stock        the same with Scrapy's scheduler, to compare with
    in-place     Scrapy's names Scheduler and RFPDupeFilter are ours: tests/test_scheduler.py, tests/test_dupefilters.py
"""
import shutil
import tempfile
from pathlib import Path

import scrapy.core.scheduler
import scrapy.crawler
import scrapy.dupefilters
from scrapy.settings import Settings

import strata_frontier.scrapy as ours

made = []


def force(scheduler):
    init = scrapy.crawler.Crawler.__init__

    def with_jobdir(self, spidercls, settings=None, *others, **named):
        settings = settings.copy() if isinstance(settings, Settings) else Settings(settings)
        if not settings.get("JOBDIR"):
            made.append(tempfile.mkdtemp(prefix="jobdir-"))
            settings.set("JOBDIR", made[-1], "default")
        if scheduler:
            settings.set("SCHEDULER", scheduler, "default")
        init(self, spidercls, settings, *others, **named)

    scrapy.crawler.Crawler.__init__ = with_jobdir


def pytest_addoption(parser):
    parser.addoption("--scheduler", choices=["jobdir", "stock", "in-place"], default="jobdir")


def pytest_configure(config):
    way = config.getoption("--scheduler")
    if way == "in-place":
        scrapy.core.scheduler.Scheduler = ours.Scheduler
        scrapy.dupefilters.RFPDupeFilter = ours.DupeFilter
    else:
        force("strata_frontier.scrapy.Scheduler" if way == "jobdir" else None)


def pytest_terminal_summary(terminalreporter):
    used = sum(Path(path, "strata.frontier").exists() for path in made)
    terminalreporter.write_line(f"{len(made)} directories as JOBDIR, {used} of them with a frontier")
    for path in made:
        shutil.rmtree(path, ignore_errors=True)
