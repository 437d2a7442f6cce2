#!/usr/bin/env python3
"""A crawl on two machines, of four partitions, while everything that can die does.

    chaos.py STRATA [--seed N] [--seconds S] [--pages N] [--keep]

Real workers, a real redis-server, and a made site on 40 addresses of 127.0.0.0/8, whose links are known. Until
--seconds have passed something happens twice a second or so: kill -9 of a worker, of a whole machine's processes, of
redis-server, which comes back empty or with an old append-only file; FLUSHALL; SIGSTOP of a worker for a while. What
ended is started again by the same command. Then it is left alone until the crawl is over, and compared: the union of
all pages.jsonl is the site, each page once. Exit 77: no redis-server here.
"""
import argparse, collections, http.server, json, os, pathlib, random, shutil, signal, socket, subprocess, sys
import tempfile, threading, time

HOSTS, LINKS, PARTITIONS = 40, 5, 4
MACHINES = {"a": "0,1", "b": "2,3"}
RIGHTS_USER, PASSWORD = "crawler", "chaos-password"


class Site:
    """HOSTS addresses with `each` pages; every page can be reached from the first one, along a random path."""

    def __init__(self, dice, each):
        self.names = [(h, p) for h in range(HOSTS) for p in range(each)]
        order = self.names[:]
        dice.shuffle(order)
        self.start = order[0]
        self.links = {n: [dice.choice(self.names) for _ in range(LINKS)] for n in self.names}
        for here, there in zip(order, order[1:]):
            self.links[here].append(there)
        self.port, self.servers = self._listen()
        self.asked = collections.Counter()

    def _listen(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                host = int(self.server.server_address[0].rsplit(".", 1)[1]) - 1
                page = self.path[1:]
                known = page.isdigit() and (host, int(page)) in site.links
                body = site.body((host, int(page))) if known else b"no such page"
                if known:
                    site.asked[(host, int(page))] += 1
                    time.sleep(0.01)
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass  # a client that was killed

        while True:
            try:
                first = Server(("127.0.7.1", 0), Handler)
                port = first.server_address[1]
                servers = [first] + [Server((f"127.0.7.{h + 1}", port), Handler) for h in range(1, HOSTS)]
                break
            except OSError:
                continue
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        return port, servers

    def url(self, name):
        return f"http://127.0.7.{name[0] + 1}:{self.port}/{name[1]}"

    def body(self, name):
        links = "".join(f'<a href="{self.url(t)}">x</a>' for t in self.links[name])
        return f"<!doctype html><title>{name}</title><p>Page {name[0]} {name[1]}</p>{links}".encode()


class Redis:
    """redis-server with a user that has the rights of `strata cluster rights`, and no others."""

    def __init__(self, directory, rights):
        self.directory, self.process = pathlib.Path(directory), None
        self.directory.mkdir()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        acl = rights.split("SETUSER strata", 1)[1].replace("PASSWORD", PASSWORD)
        (self.directory / "users.acl").write_text(
            f"user default on nopass ~* &* +@all\nuser {RIGHTS_USER}{acl}\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--save", "", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.directory,
             "--appendonly", "yes", "--aclfile", self.directory / "users.acl"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 30
        while time.time() < deadline and self.tell("PING") != b"PONG":
            time.sleep(0.05)

    def tell(self, *words):
        asked = subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True)
        return asked.stdout.strip()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def files(self):
        return self.directory / "appendonlydir"


class Machine:
    """One `strata crawl --cluster`, started again whenever it ended before the crawl was over."""

    def __init__(self, strata, name, own, work, redis, start):
        self.name, self.log = name, open(work / f"{name}.log", "ab")
        self.words = [strata, "crawl", "--cluster", f"redis://{RIGHTS_USER}@127.0.0.1:{redis.port}/chaos",
                      "--partitions", str(PARTITIONS), "--own", own, "--scope", "any", "--allow-private", "--delay",
                      "0.02", "--per-address", "0", "--filter", "exact", "--timeout", "20", "--tries", "8", "--dir",
                      work / name, start]
        self.process, self.code, self.starts = None, None, 0

    def start(self):
        self.starts += 1
        self.code = None
        environment = dict(os.environ, STRATA_CLUSTER_PASSWORD=PASSWORD)
        self.process = subprocess.Popen([str(w) for w in self.words], stdout=self.log, stderr=self.log,
                                        env=environment, start_new_session=True)

    def workers(self):
        asked = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in asked.stdout.split()]

    def kill_all(self):
        for pid in self.workers() + [self.process.pid]:
            signal_one(pid, signal.SIGKILL)
        self.process.wait()

    def poll(self):
        """Started again if it failed; true once it is over."""
        if self.process.poll() is None:
            return False
        self.code = self.process.returncode
        if self.code == 0:
            return True
        time.sleep(0.1)
        self.start()
        return False


def signal_one(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Chaos:
    def __init__(self, dice, machines, redis, work):
        self.dice, self.machines, self.redis, self.work = dice, machines, redis, work
        self.done, self.stopped = collections.Counter(), []

    def worker(self):
        pids = [pid for m in self.machines for pid in m.workers()]
        return self.dice.choice(pids) if pids else None

    def kill_worker(self):
        pid = self.worker()
        if pid:
            signal_one(pid, signal.SIGKILL)

    def kill_machine(self):
        machine = self.dice.choice(self.machines)
        machine.kill_all()
        machine.start()

    def flush(self):
        self.redis.tell("FLUSHALL")

    def empty_redis(self):
        self.redis.kill()
        time.sleep(self.dice.random())
        shutil.rmtree(self.redis.files(), ignore_errors=True)
        self.redis.start()

    def old_redis(self):
        """Its append-only file of a while ago."""
        saved = self.work / "aof"
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(self.redis.files(), saved)
        time.sleep(0.5 + self.dice.random())
        self.redis.kill()
        shutil.rmtree(self.redis.files())
        shutil.copytree(saved, self.redis.files())
        self.redis.start()

    def stop_worker(self):
        pid = self.worker()
        if pid:
            signal_one(pid, signal.SIGSTOP)
            self.stopped.append((time.time() + 0.5 + 2 * self.dice.random(), pid))

    def let_go(self, all_of_them=False):
        now = time.time()
        for until, pid in self.stopped:
            if all_of_them or until < now:
                signal_one(pid, signal.SIGCONT)
        self.stopped = [] if all_of_them else [(u, p) for u, p in self.stopped if u >= now]

    def happen(self):
        event = self.dice.choices([self.kill_worker, self.kill_machine, self.flush, self.empty_redis, self.old_redis,
                                   self.stop_worker], [6, 2, 2, 1, 1, 2])[0]
        self.done[event.__name__] += 1
        event()


def compare(site, work):
    lines = collections.Counter()
    for log in work.glob("*/p-*/pages.jsonl"):
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            if entry.get("status") == 200:
                lines[entry["url"]] += 1
    wanted = {site.url(name) for name in site.names}
    missing, extra = wanted - set(lines), set(lines) - wanted
    twice = [url for url, count in lines.items() if count > 1]
    again = sum(count - 1 for count in site.asked.values() if count > 1)
    return missing, extra, twice, again


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strata")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pages", type=int, default=60, help="of each host")
    parser.add_argument("--keep", action="store_true", help="leave the directories")
    args = parser.parse_args()
    if not shutil.which("redis-server"):
        print("no redis-server")
        return 77
    dice = random.Random(args.seed)
    work = pathlib.Path(tempfile.mkdtemp(prefix="chaos."))
    site = Site(dice, args.pages)
    strata = os.path.realpath(args.strata)
    rights = subprocess.run([strata, "cluster", "rights", "redis://127.0.0.1/chaos"], capture_output=True, text=True)
    redis = Redis(work / "redis", rights.stdout.strip())
    machines = [Machine(strata, n, own, work, redis, site.url(site.start)) for n, own in MACHINES.items()]
    chaos = Chaos(dice, machines, redis, work)
    began = time.time()
    is_over = False
    try:
        for machine in machines:
            machine.start()
        while not is_over and time.time() < began + args.seconds + 180:
            time.sleep(0.1 + 0.5 * dice.random())
            if time.time() < began + args.seconds:
                chaos.happen()
            else:
                chaos.let_go(True)
            chaos.let_go()
            is_over = all([m.poll() for m in machines])
    finally:
        chaos.let_go(True)
        for machine in machines:
            if machine.process.poll() is None:
                machine.kill_all()
        redis.kill()
    missing, extra, twice, again = compare(site, work)
    events = ", ".join(f"{count} {name}" for name, count in sorted(chaos.done.items()))
    print(f"seed {args.seed}: {len(site.names)} pages in {time.time() - began:.0f} s; {events}; "
          f"starts {[m.starts for m in machines]}; lost {len(missing)}, done twice {len(twice)}, other {len(extra)}, "
          f"fetched again {again}{'' if is_over else '; NOT OVER'}")
    is_good = is_over and not (missing or extra or twice)
    if not is_good:
        for url in sorted(missing)[:5] + twice[:5] + sorted(extra)[:5]:
            print(" ", url)
        print(f"  see {work}")
    elif not args.keep:
        shutil.rmtree(work)
    return 0 if is_good else 1


sys.exit(main())
