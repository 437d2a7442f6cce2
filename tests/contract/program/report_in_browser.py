#!/usr/bin/env python3
"""Reports as a browser shows them: report_in_browser.py STRATA. Chromium is told what to do over a pipe. The report of
an audit is used as well; those of a replay and of a paper are looked at.

At 400 and 1600 pixels, light and dark: nothing is wider than the window, text has a contrast of 4.5, every control and
table has a name, a click on a heading sorts, the filter filters, and nothing is asked of any network. Exits with 77
where there is no chromium."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

ROWS = 40  # of broken links

CHECKS = """(() => {
  const faults = [];
  const light = c => {
    const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const numbers = c => c.match(/[0-9.]+/g).map(Number);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c.slice(0, 3);
    }
    return [255, 255, 255];
  };
  if (document.documentElement.scrollWidth > innerWidth)
    faults.push('wider than the window: ' + document.documentElement.scrollWidth);
  document.querySelectorAll('h1, h2, p, th, td, th button, a, li, .cards b, .cards span, label').forEach(e => {
    const pair = [light(numbers(getComputedStyle(e).color)), light(ground(e))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast} of ${e.outerHTML.slice(0, 60)}`);
  });
  document.querySelectorAll('table').forEach(e => {
    if (!e.getAttribute('aria-label')) faults.push('a table without a name');
  });
  document.querySelectorAll('th').forEach(e => {
    if (e.scope !== 'col' || (!e.textContent && e.cellIndex)) faults.push('a heading of no column: ' + e.outerHTML);
  });
  document.querySelectorAll('input').forEach(e => {
    if (!e.labels.length) faults.push('an input without a label');
  });
  document.querySelectorAll('button').forEach(e => {
    if (!e.textContent) faults.push('a button without a name');
  });
  if (document.querySelectorAll('h1').length !== 1 || !document.documentElement.lang || !document.title)
    faults.push('h1, lang or title');
  return faults;
})()"""

USE = """(() => {
  const table = document.querySelector('table[aria-label="Broken links"]'), rows = table.tBodies[0].rows;
  const head = table.tHead.rows[0].cells[0], filter = table.previousElementSibling.querySelector('input');
  const first = () => rows[0].cells[0].textContent, shown = () => [...rows].filter(r => !r.hidden).length;
  const said = {rows: rows.length, before: first()};
  head.querySelector('button').click();
  said.up = [first(), head.getAttribute('aria-sort')];
  head.querySelector('button').click();
  said.down = [first(), head.getAttribute('aria-sort')];
  filter.value = 'gone-7';
  filter.dispatchEvent(new Event('input'));
  said.filtered = shown();
  filter.value = '';
  filter.dispatchEvent(new Event('input'));
  said.all = shown();
  return said;
})()"""


class Site(http.server.BaseHTTPRequestHandler):
    """A page that links to what is gone; the rest is not there."""

    def do_GET(self):
        body = "<title>Start</title>" + "".join(
            f"<a href=/gone-{i}/{'very-long-segment' * (i % 5)}>x</a>" for i in range(ROWS)
        )
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode() if found else b"")

    def log_message(self, *_):
        pass


class Browser:
    """Chromium, by its DevTools protocol: JSON objects with a NUL behind each, on descriptors 3 and 4."""

    def __init__(self, program, home):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def place():
            os.dup2(to_read, 103)
            os.dup2(to_write, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        self.process = subprocess.Popen(
            [program, *flags, "--remote-debugging-pipe", "--user-data-dir=" + home],
            preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.input = os.fdopen(self.back, "rb")
        self.count = 0
        self.session = None
        self.requests = []

    def next(self):
        text = bytearray()
        while (byte := self.input.read(1)) != b"\0":
            if not byte:
                raise SystemExit("chromium ended")
            text += byte
        said = json.loads(text)
        if said.get("method") == "Network.requestWillBeSent":
            self.requests.append(said["params"]["request"]["url"])
        return said

    def ask(self, method, **parameters):
        self.count += 1
        wanted = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            wanted["sessionId"] = self.session
        os.write(self.to, json.dumps(wanted).encode() + b"\0")
        while (said := self.next()).get("id") != self.count:
            pass
        if "error" in said:
            raise SystemExit(f"{method}: {said['error']}")
        return said["result"]

    def wait(self, method):
        while self.next().get("method") != method:
            pass

    def value(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(json.dumps(result["exceptionDetails"]))
        return result["result"]["value"]


def make_report(strata, home):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start = f"http://127.0.0.1:{server.server_port}/"
    directory, page = os.path.join(home, "crawl"), os.path.join(home, "report.html")
    words = ["audit", "--dir", directory, "--delay", "0", "--allow-private", "--quiet", start]
    assert subprocess.run([strata, *words], check=False).returncode == 4
    with open(page, "wb") as file:
        subprocess.run([strata, "report", directory, "--out", "-"], stdout=file, check=True)
    server.shutdown()
    return page


def run_replay(strata, home):
    """The reports of a small list, and of the paper whose tables take least time."""
    urls, lists, paper = (os.path.join(home, name) for name in ("urls.txt", "lists", "paper"))
    with open(urls, "wb") as file:
        subprocess.run([strata, "generate-urls", "--n", "20000", "--seed", "1"], stdout=file, check=True)
    of_list = ["--protocol", "paper,recombined", "--out", lists, urls]
    for words in (of_list, ["--paper", "skip", "--rounds", "1", "--out", paper]):
        subprocess.run([strata, "replay", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return [os.path.join(directory, "report.html") for directory in (lists, paper)]


def use(browser, where):
    said = browser.value(USE)
    assert said["rows"] == said["all"] == ROWS and said["filtered"] == 1, f"{where}: {said}"
    assert said["up"][1] == "ascending" and said["down"][1] == "descending", f"{where}: {said}"
    assert said["up"][0] == said["before"] and said["down"][0] > said["up"][0], f"{where}: {said}"


def look(browser, page, is_audit):
    browser.session, browser.requests = None, []
    target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.ask("Network.enable")
    browser.ask("Page.enable")
    for width in (400, 1600):
        for scheme in ("light", "dark"):
            where = f"{page}: {width} px, {scheme}"
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.ask("Emulation.setDeviceMetricsOverride", **size)
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.ask("Page.navigate", url="file://" + page)
            browser.wait("Page.loadEventFired")
            ground = browser.value("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (scheme == "light"), where
            faults = browser.value(CHECKS)
            assert not faults, f"{where}: {faults[:5]}"
            if is_audit:
                use(browser, where)
    asked = {url for url in browser.requests if not url.startswith("data:")} # a figure is in the page
    assert asked == {"file://" + page}, asked


def main():
    program = shutil.which("chromium")
    if not program:
        print("skipped: no chromium here (apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        audit, others = make_report(sys.argv[1], home), run_replay(sys.argv[1], home)
        browser = Browser(program, os.path.join(home, "profile"))
        try:
            look(browser, audit, True)
            for page in others:
                look(browser, page, False)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("the reports are as they should be at 400 and 1600 px, light and dark")
    return 0


sys.exit(main())
