"""What chaos.py does its worst to: a site whose pages are known, Redis, and machines that crawl. All of it is real."""
import collections, http.server, json, os, pathlib, shutil, signal, socket, subprocess, threading, time

USER, PASSWORD, MASTER = "crawler", "chaos-password", "chaosmaster"
PARTITIONS = 4
OWN = {"a": (0, 1), "b": (2, 3)}


def free_port(address):
    with socket.socket() as s:
        s.bind((address, 0))
        return s.getsockname()[1]


def signal_one(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_until(is_so, seconds):
    deadline = time.time() + seconds
    while time.time() < deadline:
        if is_so():
            return True
        time.sleep(0.05)
    return False


# ---- what is crawled --------------------------------------------------------------------------------------


class MadeSite:
    """40 addresses of 127.0.0.0/8 with `each` pages. A page is linked to by one page that comes before it, so that one
    lost URL is a lost page; and by pages below it, so that each URL is found again and again."""

    HOSTS, UPWARDS = 40, 3
    options = ["--delay", "0.02", "--timeout", "20", "--tries", "8"]

    def __init__(self, dice, each):
        order = [(h, p) for h in range(self.HOSTS) for p in range(each)]
        dice.shuffle(order)
        above = {order[0]: order[0]}
        self.links = {n: [] for n in order}
        for i in range(1, len(order)):
            page = order[i]
            above[page] = order[dice.randrange(i)]
            self.links[above[page]].append(page)
            for _ in range(self.UPWARDS):
                page = above[page]
                self.links[order[i]].append(page)
        self.asked = collections.Counter()
        self._listen()
        self.start = self.url(order[0])
        self.wanted = {self.url(n) for n in order}

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
                self.port = first.server_address[1]
                servers = [first] + [Server((f"127.0.7.{h + 1}", self.port), Handler) for h in range(1, self.HOSTS)]
                break
            except OSError:
                continue
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.7.{name[0] + 1}:{self.port}/{name[1]}"

    def body(self, name):
        links = "".join(f'<a href="{self.url(t)}">x</a>' for t in self.links[name])
        return f"<!doctype html><title>{name}</title><p>Page {name[0]} {name[1]}</p>{links}".encode()

    def requests(self):
        return sum(self.asked.values())

    def close(self):
        pass


class Web:
    """The web in a box (tests/contract/web/), through its proxy; what is wanted of it says web_judge."""

    def __init__(self, dice, hosts, tools, work, address):
        line = f"seed={dice.randrange(1 << 20)},hosts={hosts},pages=15,latency=5-30"
        self.log = work / "web.log"
        self.process = subprocess.Popen([tools / "web_server", "--web", line, "--address", address, "--log", self.log],
                                        stdout=subprocess.PIPE, text=True)
        said = dict(word.split("=", 1) for word in self.process.stdout.readline().split() if "=" in word)
        self.start = said["start"]
        self.options = ["--proxy", f"http://{address}:{said['http']}", "--delay", "0.02", "--timeout", "20",
                        "--tries", "8"]
        judge = [tools / "web_judge", "--web", line, "--list", "wanted"]
        listed = subprocess.run(judge, capture_output=True, text=True)
        self.wanted = set(listed.stdout.split())

    def close(self):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """Of wanted pages, by its log (tests/contract/web/serve_log.h)."""
        rows = [line.split("\t") for line in self.log.read_text().splitlines()]
        return sum(f"{row[1]}://{row[2]}{row[3]}" in self.wanted for row in rows if len(row) > 3)


# ---- what carries -----------------------------------------------------------------------------------------


class Server:
    """A redis-server with a user that has the rights of `strata cluster rights`, and no others."""

    def __init__(self, directory, address, rights):
        self.directory, self.address, self.port = pathlib.Path(directory), address, free_port(address)
        self.directory.mkdir()
        acl = rights.split("SETUSER strata", 1)[1].replace("PASSWORD", PASSWORD)
        (self.directory / "users.acl").write_text(f"user default on nopass ~* &* +@all\nuser {USER}{acl}\n")

    def start(self, *more):
        self.process = subprocess.Popen(
            ["redis-server", "--save", "", "--port", str(self.port), "--bind", self.address, "--protected-mode", "no",
             "--dir", self.directory, "--appendonly", "yes", "--aclfile", self.directory / "users.acl",
             "--repl-diskless-sync-delay", "0", *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.tell("PING") == "PONG", 30)

    def tell(self, *words):
        asked = subprocess.run(["redis-cli", "-h", self.address, "-p", str(self.port), *words], capture_output=True,
                               text=True)
        return asked.stdout.strip()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def files(self):
        return self.directory / "appendonlydir"


class OneRedis:
    has_sentinel = False

    def __init__(self, work, address, rights):
        self.servers = [Server(work / "redis", address, rights)]
        self.servers[0].start()
        self.text = f"redis://{USER}@{address}:{self.servers[0].port}/chaos"

    def master(self):
        return self.servers[0]

    def close(self):
        self.servers[0].kill()


class PairWithSentinel:
    """A master, its replica, and a sentinel that lets the replica take over."""

    has_sentinel = True

    def __init__(self, work, address, rights):
        self.servers = [Server(work / name, address, rights) for name in ("redis", "redis2")]
        self.servers[0].start()
        self.servers[1].start("--replicaof", address, str(self.servers[0].port))
        self.address, self.port = address, free_port(address)
        conf = work / "sentinel.conf"
        conf.write_text(f"port {self.port}\nbind {address}\nprotected-mode no\ndir {work}\n"
                        f"sentinel monitor {MASTER} {address} {self.servers[0].port} 1\n"
                        f"sentinel down-after-milliseconds {MASTER} 500\nsentinel failover-timeout {MASTER} 2000\n")
        self.process = subprocess.Popen(["redis-server", conf, "--sentinel"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.text = f"redis+sentinel://{USER}@{address}:{self.port}/{MASTER}/chaos"
        wait_until(lambda: "slave" in self.ask("SENTINEL", "replicas", MASTER), 30)

    def ask(self, *words):
        asked = subprocess.run(["redis-cli", "-h", self.address, "-p", str(self.port), *words], capture_output=True,
                               text=True)
        return asked.stdout

    def master_port(self):
        said = self.ask("SENTINEL", "get-master-addr-by-name", MASTER).split()
        return int(said[1]) if len(said) == 2 and said[1].isdigit() else 0

    def master(self):
        port = self.master_port()
        return next((s for s in self.servers if s.port == port), self.servers[0])

    def close(self):
        self.process.kill()
        self.process.wait()
        for server in self.servers:
            server.kill()


# ---- the machines -----------------------------------------------------------------------------------------


class Machine:
    """One `strata crawl --cluster`, started again whenever it ended before the crawl was over."""

    def __init__(self, strata, name, work, carrier, site, inside, keeps_copies):
        own = ",".join(str(p) for p in OWN[name])
        self.name, self.path, self.log_path = name, work / name, work / f"{name}.log"
        self.log = open(self.log_path, "ab")
        self.words = [*inside, strata, "crawl", "--cluster", carrier.text, "--partitions", PARTITIONS, "--own", own,
                      "--scope", "any", "--allow-private", "--per-address", "0", "--filter", "exact",
                      *(["--snapshot-to", work / "copies", "--snapshot-every", "2s"] if keeps_copies else []),
                      *site.options, "--dir", self.path, site.start]
        self.process, self.starts, self.over_at, self.log_begin = None, 0, None, 0

    def start(self, fault=None):
        """`fault`: more of its environment, this once."""
        self.starts += 1
        self.over_at = None
        self.log_begin = self.log_path.stat().st_size
        environment = dict(os.environ, STRATA_CLUSTER_PASSWORD=PASSWORD, **(fault or {}))
        self.process = subprocess.Popen([str(w) for w in self.words], stdout=self.log, stderr=self.log,
                                        env=environment, start_new_session=True)

    def children(self):
        asked = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in asked.stdout.split()]

    def kill_all(self):
        count = len(self.children())
        for pid in self.children() + [self.process.pid]:
            signal_one(pid, signal.SIGKILL)
        self.process.wait()
        return count

    def lacks_a_worker(self):
        """One died too often in a row, and stays away: the others go on, and the crawl is not over without it."""
        return b"the same command goes on" in self.log_path.read_bytes()[self.log_begin:]

    def poll(self):
        """Started again if it failed; true once it is over."""
        if self.process.poll() is None:
            return False
        if self.process.returncode == 0:
            self.over_at = self.over_at or time.time()
            return True
        time.sleep(0.1)
        self.start()
        return False


def newest_copy(work, partition):
    """The last complete copy of it, or None."""
    copies = [p for p in (work / "copies").glob(f"p-{partition:03d}-life-*") if not p.name.endswith(".part")]
    return max(copies, key=lambda p: (int(p.name.split("-")[3]), p.name), default=None)


def page_lines(directory):
    """The URLs of its log, of whole lines."""
    log = directory / "pages.jsonl"
    lines = log.read_bytes().split(b"\n")[:-1] if log.exists() else []
    entries = [json.loads(line) for line in lines]
    return [e["url"] for e in entries if e.get("status") == 200]
