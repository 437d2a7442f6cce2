"""What a scheduler sees of Scrapy's engine, so that it can be called without a crawl."""
import time

import scrapy
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler


class Spider(scrapy.Spider):
    name = "spider"


class Slot:
    def __init__(self, start_requests):
        self.start_requests = iter(start_requests)

    def remove_request(self, request):
        pass

    class nextcall:
        @staticmethod
        def schedule():
            pass


class Downloader:
    slots = {}

    def get_slot_key(self, request, spider=None):
        return request.meta.get("download_slot") or request.url.split("/")[2]

    _get_slot_key = get_slot_key


class Engine:
    def __init__(self, start_requests):
        self.slot, self.downloader = Slot(start_requests), Downloader()


class Run:
    """A scheduler, as the engine uses it."""

    def __init__(self, jobdir, starts=(), **settings):
        self.crawler = get_crawler(Spider, {"SCHEDULER": "strata_frontier.scrapy.Scheduler", "SCHEDULER_DEBUG": True,
                                            "JOBDIR": str(jobdir) if jobdir else None,
                                            "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
                                            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
                                            **settings})
        self.crawler.spider = Spider.from_crawler(self.crawler)
        self.crawler.engine = Engine(starts)
        self.scheduler = load_object(self.crawler.settings["SCHEDULER"]).from_crawler(self.crawler)

    def __enter__(self):
        self.scheduler.open(self.crawler.spider)
        return self

    def __exit__(self, *unused):
        self.scheduler.close("finished")

    def add(self, *requests):
        return [self.scheduler.enqueue_request(Request(r) if isinstance(r, str) else r) for r in requests]

    def start(self):
        return [self.scheduler.enqueue_request(request) for request in self.crawler.engine.slot.start_requests]

    def take(self, count=99):
        taken, ends = [], time.monotonic() + 10
        while len(taken) < count and time.monotonic() < ends:
            request = self.scheduler.next_request()
            if request:
                taken.append(request)
            elif self.scheduler.frontier is None or self.scheduler.frontier.wait_ms is None:
                break
        return taken

    def finish(self, *requests):
        for request in requests:
            self.crawler.engine.slot.remove_request(request)

    def stat(self, name):
        return self.crawler.stats.get_value(name, 0)


def Request(url, **options):
    return scrapy.Request(url if "//" in url else f"http://a.example/{url}", **options)
