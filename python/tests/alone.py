"""A scheduler without a crawl: alone.py PAGES JOBDIR [SETTING=VALUE]...

Prints pages, seconds, seconds of CPU time of all threads, and megabytes: from opening the JOBDIR to closing it."""
import resource
import sys
import time

from engine import Request, Run
from web import links_of


def walk(run: Run, pages: int) -> int:
    taken = 0
    run.add("0")
    while True:
        request = run.scheduler.next_request()
        if request is None:
            return taken
        taken += 1
        run.add(*map(str, links_of(int(request.url.rsplit("/", 1)[1]), pages)))
        run.finish(request)


if __name__ == "__main__":
    count, jobdir, *more = sys.argv[1:]
    run = Run(jobdir, **dict(setting.split("=", 1) for setting in more))
    began, used = time.monotonic(), time.process_time()
    with run:
        taken = walk(run, int(count))
    print(taken, time.monotonic() - began, time.process_time() - used,
          resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
