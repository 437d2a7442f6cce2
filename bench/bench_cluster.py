#!/usr/bin/env python3
"""What a crawl on many machines costs: bench_cluster.py STRATA WEB_SERVER [--rounds N] [--hosts N] [--pages N]

1. CPU: a web of tests/contract/web/ is crawled plainly, by a cluster of one partition, and by one of four, in turn. CPU is that
   of all of a crawl's processes; Redis' is beside it. Medians, and medians of the ratios of a round.
2. Bytes on the wire: pages of one partition link to URLs of 72 bytes in another one, 500 a page (full parcels) or one
   page and one link each 1.2 s (a parcel each). By Redis' own counters of bytes; of the second, less what a crawl of
   as many pages without a link takes.
3. Redis' memory: 64 partitions, of which one is dead while the others find some million URLs of it.

Exit 77: no redis-server here."""
import argparse, http.server, pathlib, re, resource, shutil, socket, statistics, subprocess, sys, tempfile, threading
import time

URL_BYTES, LINKS = 72, 500


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Redis:
    def __init__(self):
        self.port = free_port()
        words = ["redis-server", "--save", "", "--bind", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while "PONG" not in self.ask("PING"):
            time.sleep(0.05)

    def ask(self, *words):
        command = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def number(self, section, name):
        return float(re.search(rf"^{name}:([0-9.]+)", self.ask("INFO", section), re.M).group(1))

    def cpu(self):
        return self.number("cpu", "used_cpu_sys") + self.number("cpu", "used_cpu_user")

    def bytes(self):
        return [self.number("stats", f"total_net_{way}put_bytes") for way in ("in", "out")]

    def close(self):
        self.process.terminate()
        self.process.wait()


def crawl(strata, *words):
    """CPU seconds of all processes of one crawl, and its seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run([strata, "crawl", "--quiet", "--allow-private", "--scope", "any", "--delay", "0", *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"a crawl failed: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - began


def pages_of(directory):
    return sum(1 for file in directory.rglob("pages.jsonl") for line in file.open() if '"outcome":"done"' in line)


# ---- CPU ------------------------------------------------------------------------------------------------------------


def bench_cpu(a, work, redis):
    web = ["--web", f"seed=1,hosts={a.hosts},pages={a.pages},latency=0", "--http", str(free_port())]
    server = subprocess.Popen([a.web_server, *web], stdout=subprocess.PIPE, text=True)
    start = re.search(r"start=(\S+)", server.stdout.readline()).group(1)
    every = ["--proxy", f"http://127.0.0.1:{web[-1]}", "--per-address", "0", "--per-host", "4", start]
    cpu = {0: [], 1: [], 4: []}  # by partitions; 0: no cluster
    print(f"{a.rounds} rounds, {a.hosts} hosts; CPU us a page\npartitions    pages   crawl   redis   seconds")
    for turn in range(a.rounds):
        for partitions, figures in cpu.items():
            directory = work / f"{turn}-{partitions}"
            name = f"redis://127.0.0.1:{redis.port}/cpu{turn}-{partitions}"
            of_redis = redis.cpu()
            words = ["--cluster", name, "--partitions", str(partitions)] if partitions else []
            used, seconds = crawl(a.strata, "--dir", str(directory), *words, *every)
            of_redis, pages = redis.cpu() - of_redis, pages_of(directory)
            figures.append(used / pages)
            print(f"{partitions or 'plain':>10} {pages:8} {used / pages * 1e6:7.1f} {of_redis / pages * 1e6:7.1f}"
                  f" {seconds:9.1f}", flush=True)
            shutil.rmtree(directory)
    server.terminate()
    server.wait()
    of = {p: statistics.median(x / y for x, y in zip(cpu[p], cpu[0])) for p in (1, 4)}
    print(f"one partition against plain: {of[1]:.2f} of its CPU a page (goal: at most 1.10)")
    print(f"four processes against one: {1 / of[4]:.2f} of its pages a CPU-second (goal: at least 0.80)")
    print(f"the largest process had {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")


# ---- bytes ----------------------------------------------------------------------------------------------------------


class Hubs(http.server.BaseHTTPRequestHandler):
    """/KIND/N, also as a proxy: a page with 500 links (full), one (one), or none (none)."""

    def do_GET(self):
        match = re.search(r"/(full|one|none)/(\d+)$", self.path)
        count = {"full": LINKS, "one": 1, "none": 0}[match.group(1)] if match else 0
        number = int(match.group(2)) if match else 0
        urls = (f"http://other.test/{number}/{i}/".ljust(URL_BYTES, "x") for i in range(count))
        body = ("a page" + "".join(f"<a href={u}>x</a>" for u in urls)).encode()  # without a byte it were none
        self.send_response(200 if match else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def bytes_of(a, work, redis, origin, kind, pages, words):
    """Of Redis, in and out; and the URLs that came to the partition that fetched nothing."""
    directory, seeds = work / kind, work / f"{kind}.txt"
    seeds.write_text("".join(f"{origin}/{kind}/{i}\n" for i in range(pages)))
    while True:  # the key that divides hosts is random: until the two hosts are apart
        shutil.rmtree(directory, ignore_errors=True)
        name = f"{kind}{time.time_ns()}"
        before = redis.bytes()
        crawl(a.strata, "--cluster", f"redis://127.0.0.1:{redis.port}/{name}", "--partitions", "2", "--max-depth", "0",
              "--dir", str(directory), "--seeds", str(seeds), *words)
        used = [y - x for x, y in zip(before, redis.bytes())]
        idle = [d for d in directory.glob("p-*") if not pages_of(d)]
        urls = 0
        for d in idle:
            out = subprocess.run([a.strata, "export", str(d)], capture_output=True, text=True, check=True).stdout
            urls += out.count("http://other.test/")
        if urls or kind == "none":
            return used, urls


def bench_bytes(a, work, redis):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hubs)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    print("\nbytes on the wire for each URL of 72 bytes that travels: to Redis, from Redis")
    used, urls = bytes_of(a, work, redis, origin, "full", 400, [])
    print(f"full parcels: {urls} URLs, {used[0] / urls:.1f} and {used[1] / urls:.1f} (goal: at most 90 each)")
    slow = (20, ["--delay", "1.2"])
    without, _ = bytes_of(a, work, redis, origin, "none", *slow)
    used, urls = bytes_of(a, work, redis, origin, "one", *slow)
    net = [(x - y) / urls for x, y in zip(used, without)]
    print(f"a parcel each: {urls} URLs, {net[0]:.0f} and {net[1]:.0f}, acknowledgments too;"
          f" what else is asked in that time is {without[0] / 1000:.0f} and {without[1] / 1000:.0f} kB")
    server.shutdown()


# ---- memory ---------------------------------------------------------------------------------------------------------


def bench_memory(a, work, redis):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hubs)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    directory, seeds, count = work / "dead", work / "dead.txt", 64
    seeds.write_text("".join(f"http://hub{i % 250}.test/full/{i}\n" for i in range(20000)))
    words = ["--cluster", f"redis://127.0.0.1:{redis.port}/dead", "--partitions", str(count), "--dir", str(directory),
             "--seeds", str(seeds), "--max-depth", "0", "--proxy", f"http://127.0.0.1:{server.server_port}"]
    begin = [a.strata, "crawl", "--quiet", "--allow-private", "--scope", "any", "--delay", "0", *words, "--own"]
    crawler = subprocess.Popen([*begin, f"0-{count - 1}"])
    while crawler.poll() is None and pages_of(directory) < 2 * count:
        time.sleep(0.1)
    time.sleep(5)  # what they link to travels
    crawler.terminate()
    crawler.wait()
    held = {d: subprocess.run([a.strata, "export", str(d)], capture_output=True, text=True, check=True).stdout
            for d in directory.glob("p-*")}
    dead = next(int(d.name[2:]) for d, urls in held.items() if "http://other.test/" in urls)
    own, before_it = ",".join(str(p) for p in range(count) if p != dead), pages_of(directory)
    before = redis.number("memory", "used_memory")
    crawler = subprocess.Popen([*begin, own])
    last, still, ends = before, 0, time.time() + 240
    while still < 10 and crawler.poll() is None and time.time() < ends:
        time.sleep(2)
        now = redis.number("memory", "used_memory")
        still = still + 1 if before + 2**20 < now < 1.01 * last else 0
        last = max(now, last)
    crawler.terminate()
    crawler.wait()
    urls = LINKS * (pages_of(directory) - before_it)
    print(f"\n{count} partitions, one of them dead, {urls} URLs for it: Redis has {(last - before) / 2**20:.0f} MiB more"
          f" (goal: at most 256)")
    server.shutdown()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("strata")
    p.add_argument("web_server")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--hosts", type=int, default=400)
    p.add_argument("--pages", type=int, default=50)
    a = p.parse_args()
    if not shutil.which("redis-server"):
        print("skipped: no redis-server here")
        return 77
    redis = Redis()
    try:
        with tempfile.TemporaryDirectory() as work:
            if a.rounds:
                bench_cpu(a, pathlib.Path(work), redis)
            bench_bytes(a, pathlib.Path(work), redis)
            bench_memory(a, pathlib.Path(work), redis)
    finally:
        redis.close()
    return 0


sys.exit(main())
