"""A crawl of a whole site, as a program: walk.py URL JOBDIR FILE [SETTING=VALUE]...

FILE gets the URL of each page as its callback ends, by one write."""
import os
import re
import sys

import scrapy
from scrapy.crawler import CrawlerProcess


class Walker(scrapy.Spider):
    name = "walker"

    def parse(self, response):
        for href in re.findall(r'href="([^"]*)"', response.text):
            yield response.follow(href)
        os.write(self.file, response.url.encode() + b"\n")


if __name__ == "__main__":
    url, jobdir, file, *more = sys.argv[1:]
    settings = {
        "SCHEDULER": "strata_frontier.scrapy.Scheduler", "JOBDIR": jobdir, "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False, "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
        **dict(setting.split("=", 1) for setting in more),
    }
    process = CrawlerProcess(settings)
    process.crawl(Walker, start_urls=[url], file=os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
    process.start()
