#!/usr/bin/env python3
"""A crawl on two machines, of four partitions, while everything that can die does.

    chaos.py STRATA [--web TOOLS] [--fault LIBRARY] [--sentinel] [--seed N] [--seconds S] [--pages N]
             [--hosts N] [--lie] [--keep] [--row]

Real workers, a real redis-server, and a site whose pages are known: a made one on 40 addresses of 127.0.0.0/8, or with
--web the web in a box, whose programs are in TOOLS. With --sentinel Redis is a pair with a sentinel. Until --seconds
have passed something of EVENTS happens twice a second or so, each kind soon; what ended is started again by the same
command. Then it is left alone until the crawl is over, and compared: the union of all pages.jsonl is the site,
each page once, and no more was fetched again than was in flight, or came after a copy that was restored; and nobody
found a directory damaged, or parcels lost.

With --fault (crash/fault.c) workers also die at a write: most of these are next to a commit, and a kill at some time
seldom comes between a commit and the next one of the same two partitions.

What happens, to whom, and when, is drawn from the seed; how far the crawl is by then is not. --row prints the numbers
for a table. Exit 77: no redis-server here.

--lie: nothing is told of copies, which `strata snapshot` makes; so URLs are lost when one is restored, and this has to
notice it.

A network is cut (with --web) in a namespace of this program's own, in which one machine has another one. Where there
can be none, that event is left out, and this says so.
"""
import argparse, collections, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time
from chaos_world import (OWN, MadeSite, Machine, OneRedis, PairWithSentinel, Web, newest_copy, page_lines,
                         signal_one, wait_until)

# What a worker that dies may have to fetch again: what ended since the last commit, and what is in flight.
AGAIN_A_DEATH = 32 + 40
# What no worker says, whatever is killed: else a commit did not have all that it should have.
NEVER_SAID = ("is not in table marks", "are lost: this directory", "another copy of this directory", "damaged")


class World:
    def __init__(self, dice, strata, fault, site, carrier, machines, work, cable):
        self.dice, self.strata, self.fault, self.site, self.carrier = dice, strata, fault, site, carrier
        self.machines, self.work, self.cable = machines, work, cable
        self.later = []  # (when, what): SIGCONT of what was stopped, cables that are plugged in again
        self.done, self.deaths, self.unmade, self.lies = collections.Counter(), 0, 0, False

    def worker(self):
        pids = [pid for m in self.machines for pid in m.children()]
        return self.dice.choice(pids) if pids else None

    def after(self, seconds, what):
        self.later.append((time.time() + seconds, what))

    def catch_up(self, all_of_it=False):
        due = [what for when, what in self.later if all_of_it or when < time.time()]
        self.later = [] if all_of_it else [(when, what) for when, what in self.later if when >= time.time()]
        for what in due:
            what()

    def kill_and_start(self, machine, between=lambda: None, fault=None):
        self.deaths += machine.kill_all()
        between()
        machine.start(fault)

    def said(self):
        return [line for m in self.machines for line in m.log_path.read_text(errors="replace").splitlines()]


# ---- what happens: each gives False where it cannot be done now -------------------------------------------


def worker_killed(w):
    pid = w.worker()
    if pid is None:
        return False
    signal_one(pid, signal.SIGKILL)


def worker_dies_writing(w):
    """Each worker of a machine, and who is started in its place, and so on."""
    writes = w.dice.randrange(20, 200)
    w.kill_and_start(w.dice.choice(w.machines), fault={"LD_PRELOAD": w.fault, "STRATA_FAULT": f"kill:{writes}"})


def machine_killed(w):
    w.kill_and_start(w.dice.choice(w.machines))


def worker_stopped(w):
    """It stands still, and goes on."""
    pid = w.worker()
    if pid is None:
        return False
    signal_one(pid, signal.SIGSTOP)
    w.after(0.5 + 2 * w.dice.random(), lambda: signal_one(pid, signal.SIGCONT))


def redis_flushed(w):
    w.carrier.master().tell("FLUSHALL")


def redis_killed(w):
    """It comes back with what it had a second ago."""
    server = w.carrier.master()
    server.kill()
    time.sleep(w.dice.random())
    server.start()


def redis_emptied(w):
    server = w.carrier.master()
    server.kill()
    time.sleep(w.dice.random())
    shutil.rmtree(server.files(), ignore_errors=True)
    server.start()


def redis_set_back(w):
    """It comes back with its append-only file of a while ago."""
    server, saved = w.carrier.master(), w.work / "aof"
    shutil.rmtree(saved, ignore_errors=True)
    shutil.copytree(server.files(), saved)
    time.sleep(0.5 + w.dice.random())
    server.kill()
    shutil.rmtree(server.files())
    shutil.copytree(saved, server.files())
    server.start()


def redis_full(w):
    """It refuses to write (OOM)."""
    server = w.carrier.master()
    server.tell("CONFIG", "SET", "maxmemory", "1")
    w.after(0.5 + 2 * w.dice.random(), lambda: server.tell("CONFIG", "SET", "maxmemory", "0"))


def redis_read_only(w):
    """It is a replica of nobody for a while (READONLY)."""
    server = w.carrier.master()
    server.tell("REPLICAOF", server.address, "1")
    w.after(0.5 + 2 * w.dice.random(), lambda: server.tell("REPLICAOF", "NO", "ONE"))


def redis_failed_over(w):
    """The master dies, and a replica that is behind it takes over; the old one comes back as a replica."""
    old = w.carrier.master()
    heir = next(s for s in w.carrier.servers if s is not old)
    if "role:slave" not in heir.tell("INFO", "replication") or "link_status:up" not in heir.tell("INFO", "replication"):
        return False
    signal_one(heir.process.pid, signal.SIGSTOP)
    time.sleep(w.dice.random())
    old.kill()
    signal_one(heir.process.pid, signal.SIGCONT)
    has_moved = wait_until(lambda: w.carrier.master_port() == heir.port, 20)
    old.start(*(["--replicaof", heir.address, str(heir.port)] if has_moved else []))
    return has_moved


def directory_lost(w):
    """A machine dies, and one of its partitions is restored from its last copy, under a new life."""
    machine = w.dice.choice(w.machines)
    partition = w.dice.choice(OWN[machine.name])
    directory, is_restored = machine.path / f"p-{partition:03d}", []

    def restore():
        copy = newest_copy(w.work, partition)
        if copy is None or not directory.exists():
            return
        had = len(page_lines(directory))
        shutil.rmtree(directory)
        shutil.copytree(copy, directory)
        w.unmade += had - len(page_lines(directory))
        adopted = subprocess.run([w.strata, "cluster", "adopt", directory], stdout=machine.log, stderr=machine.log)
        is_restored.append(adopted.returncode == 0)

    w.kill_and_start(machine, restore)
    return is_restored == [True]


def network_cut(w):
    """Between one machine and Redis, for longer than an answer is waited for, or less."""
    w.cable.cut()
    w.after(1 + 7 * w.dice.random(), w.cable.mend)


EVENTS = [  # what, how often, and with which Redis: None is both
    (worker_killed, 6, None),
    (worker_dies_writing, 8, None),
    (machine_killed, 2, None),
    (worker_stopped, 2, None),
    (directory_lost, 3, None),
    (network_cut, 1, None),
    (redis_flushed, 2, None),
    (redis_full, 1, None),
    (redis_read_only, 1, OneRedis),
    (redis_killed, 1, OneRedis),
    (redis_emptied, 1, OneRedis),
    (redis_set_back, 1, OneRedis),
    (redis_failed_over, 2, PairWithSentinel),
]


def possible_events(w):
    if w.lies:
        return [(directory_lost, 1)]
    can = {network_cut: w.cable, worker_dies_writing: w.fault}
    return [(event, often) for event, often, kind in EVENTS
            if (kind is None or isinstance(w.carrier, kind)) and can.get(event, True)]


def let_happen(w):
    """Each that can happen, in any order, and then at random."""
    never = [event for event, _ in possible_events(w) if not w.done[event.__name__]]
    events, often = zip(*possible_events(w))
    event = w.dice.choice(never) if never and w.dice.random() < 0.7 else w.dice.choices(events, often)[0]
    if event(w) is not False:
        w.done[event.__name__] += 1


# ---- a network that can be cut ----------------------------------------------------------------------------


class Cable:
    """Machine b is in a namespace of its own, with a cable to Redis and one to the web."""

    REDIS, WEB = "10.77.1.1", "10.77.2.1"

    def __init__(self):
        self.inside = subprocess.Popen(["unshare", "--net", "sleep", "3600"])
        pid = str(self.inside.pid)
        wait_until(lambda: os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net"), 10)
        self.enter = ["nsenter", "-t", pid, "-n"]
        for number, (outer, inner) in enumerate([("redis0", "redis1"), ("web0", "web1")], 1):
            self.ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", pid)
            self.ip("addr", "add", f"10.77.{number}.1/24", "dev", outer)
            self.ip("link", "set", outer, "up")
            self.ip("addr", "add", f"10.77.{number}.2/24", "dev", inner, inside=True)
            self.ip("link", "set", inner, "up", inside=True)

    def ip(self, *words, inside=False):
        subprocess.run([*(self.enter if inside else []), "ip", *words], check=True)

    def cut(self):
        self.ip("link", "set", "redis0", "down")

    def mend(self):
        self.ip("link", "set", "redis0", "up")

    def close(self):
        self.inside.kill()
        self.inside.wait()


def enter_namespace():
    """This program again in a network of its own; false: it is in one, or there can be none."""
    if os.environ.get("CHAOS_INSIDE") == "yes":
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return True
    can = shutil.which("ip") and shutil.which("nsenter") and subprocess.run(
        ["unshare", "--map-root-user", "--net", "ip", "link", "add", "x0", "type", "veth", "peer", "name", "x1"],
        stderr=subprocess.DEVNULL).returncode == 0
    if can:
        os.environ["CHAOS_INSIDE"] = "yes"
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", sys.executable, *sys.argv])
    return False


# ---- a lie ------------------------------------------------------------------------------------------------


def copy_behind_its_back(w):
    for machine in w.machines:
        for partition in OWN[machine.name]:
            copies = w.work / "copies"
            copies.mkdir(exist_ok=True)
            old = newest_copy(w.work, partition)
            if old and time.time() < old.stat().st_mtime + 2:
                continue
            new = copies / f"p-{partition:03d}-life-1-{time.time():.3f}"
            made = subprocess.run([w.strata, "snapshot", machine.path / f"p-{partition:03d}", new],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if old and made.returncode == 0:
                shutil.rmtree(old)


# ---- the whole --------------------------------------------------------------------------------------------


def run(w, seconds):
    """True: it was over."""
    began = time.time()
    for machine in w.machines:
        machine.start()
    wait_until(lambda: all(m.children() for m in w.machines), 30)
    while time.time() < began + seconds + 150 and all(m.starts < 200 for m in w.machines):
        time.sleep(0.1 + 0.5 * w.dice.random())
        if time.time() < began + seconds:
            let_happen(w)
        else:
            w.catch_up(True)
        w.catch_up()
        if w.lies:
            copy_behind_its_back(w)
        over = [m.poll() for m in w.machines]
        if all(over):
            return True
        for machine in w.machines:
            if machine.process.poll() is None and machine.lacks_a_worker():
                w.kill_and_start(machine)
        for machine in w.machines:  # who was killed as it ended needs the others to find out that it is over
            if machine.over_at and time.time() > machine.over_at + 40:
                machine.start()
    return False


def compare(w):
    lines = collections.Counter(url for p in w.work.glob("[ab]/p-???") for url in page_lines(p))
    missing, extra = w.site.wanted - set(lines), set(lines) - w.site.wanted
    twice = [url for url, count in lines.items() if count > 1]
    return missing, extra, twice, w.site.requests() - len(w.site.wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strata")
    parser.add_argument("--web", type=pathlib.Path, metavar="TOOLS")
    parser.add_argument("--fault", metavar="LIBRARY")
    parser.add_argument("--sentinel", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pages", type=int, default=60, help="of each host of the made site")
    parser.add_argument("--hosts", type=int, default=80, help="of the web, of 15 pages or so")
    parser.add_argument("--keep", action="store_true", help="leave the directories")
    parser.add_argument("--lie", action="store_true")
    parser.add_argument("--row", action="store_true")
    args = parser.parse_args()
    if not shutil.which("redis-server"):
        print("no redis-server")
        return 77
    if args.seed is not None and "--seed" not in sys.argv:
        sys.argv += ["--seed", str(args.seed)]
    has_cable = args.web and enter_namespace()
    if args.web and not has_cable:
        print("network_cut is left out: no right to make a namespace here")
    dice, work = random.Random(args.seed), pathlib.Path(tempfile.mkdtemp(prefix="chaos."))
    strata = os.path.realpath(args.strata)
    cable = Cable() if has_cable else None
    site = (Web(dice, args.hosts, args.web, work, Cable.WEB if cable else "127.0.0.1") if args.web
            else MadeSite(dice, args.pages))
    rights = subprocess.run([strata, "cluster", "rights", "redis://127.0.0.1/chaos"], capture_output=True, text=True)
    kind = PairWithSentinel if args.sentinel else OneRedis
    carrier = kind(work, Cable.REDIS if cable else "127.0.0.1", rights.stdout.strip())
    inside = {"a": (), "b": cable.enter if cable else ()}
    machines = [Machine(strata, name, work, carrier, site, inside[name], not args.lie) for name in OWN]
    w = World(dice, strata, args.fault, site, carrier, machines, work, cable)
    w.lies = args.lie
    began, is_over = time.time(), False
    try:
        is_over = run(w, args.seconds)
    finally:
        w.catch_up(True)
        for machine in machines:
            if machine.process and machine.process.poll() is None:
                machine.kill_all()
        carrier.close()
        site.close()
        if cable:
            cable.close()
    missing, extra, twice, again = compare(w)
    said = w.said()
    w.deaths += sum("died (signal" in line for line in said)  # and those that died with their machine
    amiss = [line for line in said if any(words in line for words in NEVER_SAID)]
    allowed = w.deaths * AGAIN_A_DEATH + w.unmade
    is_good = is_over and not (missing or extra or twice or amiss) and again <= allowed
    if args.lie:
        is_good = bool(missing)
    if args.row:
        print(f"row {args.seed} {'web' if args.web else 'made'} {'sentinel' if args.sentinel else 'one'} "
              f"{len(site.wanted)} {w.deaths} {sum(n for e, n in w.done.items() if e.startswith('redis'))} "
              f"{w.done['redis_flushed']} {w.done['directory_lost']} {w.done['redis_failed_over']} "
              f"{w.done['network_cut']} {w.done['worker_stopped']} {len(missing)} {len(twice)} {len(extra)} {again} "
              f"{w.unmade} {allowed} {'over' if is_over else 'NOT-OVER'} {time.time() - began:.0f}")
    events = ", ".join(f"{count} {name}" for name, count in sorted(w.done.items()))
    print(f"seed {args.seed}: {len(site.wanted)} pages in {time.time() - began:.0f} s; {events}; {w.deaths} workers "
          f"died; lost {len(missing)}, done twice {len(twice)}, other {len(extra)}, fetched again {again} of at most "
          f"{allowed}{'' if is_over else '; NOT OVER'}")
    if not is_good:
        for url in sorted(missing)[:5] + twice[:5] + sorted(extra)[:5] + amiss[:5]:
            print(" ", url)
        print(f"  see {work}")
    elif not args.keep:
        shutil.rmtree(work)
    return 0 if is_good else 1


sys.exit(main())
