#!/usr/bin/env python3
"""What servers really answer: each case serves bytes over a real socket, runs the program, and looks at what it asked for.

    answers.py PROGRAM FILE... [-k CASE]      or, as for tests in C, STRATA_TEST=CASE

A case is a function of a case file (redirects.py, ...) whose name does not begin with `_`. It gets a Site, says what that
answers, crawls it as often as it likes, and asserts. Cases run side by side, each with ports and a directory of its own.
Nothing is known here of the program's inside: its options, its files and its exit codes are all that is used."""
import concurrent.futures
import importlib.util
import inspect
import json
import os
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SECONDS_MAX = 1800  # a run of the program that takes longer hangs
AT_ONCE = 6         # cases mostly wait: for delays, timeouts, silent servers


class Skip(Exception):
    """The case cannot run here, and why."""


class Cut(bytes):
    """Sent, then the connection is closed."""


class Reset(bytes):
    """Sent, then the connection is reset."""


class Hold(bytes):
    """Sent, then nothing more, until the client goes away."""


def reply(body=b'', status='200 OK', kind='text/html; charset=utf-8', fields=(), length=True):
    """A response. `fields`: more lines of its head. `kind`: of Content-Type, None for none. `length`: say Content-Length."""
    body = body.encode() if isinstance(body, str) else body
    head = [b'HTTP/1.1 ' + status.encode()]
    if kind is not None:
        head.append(b'Content-Type: ' + kind.encode('latin-1'))
    if length:
        head.append(b'Content-Length: %d' % len(body))
    head += [f.encode('latin-1') if isinstance(f, str) else f for f in fields]
    return b'\r\n'.join(head) + b'\r\n\r\n' + body


def links(*hrefs):
    """The text of a page with these links."""
    return '<!doctype html><title>t</title>' + ''.join('<p><a href="%s">x</a>' % h for h in hrefs)


def page(*hrefs, **more):
    return reply(links(*hrefs), **more)


def move(to, status='301 Moved Permanently', fields=(), body=b''):
    to = to.encode() if isinstance(to, str) else to
    return reply(body, status, fields=[b'Location: ' + to, *fields])


LEAF = reply('<p>leaf')


TICK = 0.01  # seconds: by so much two arrivals may be told wrong, as the kernel counts ticks of 4 ms


def arrival(connection):
    """When the last bytes came, by the kernel: on a busy machine they are read later."""
    last_data_recv = 52  # in struct tcp_info, in milliseconds
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return time.monotonic() - struct.unpack_from('I', info, last_data_recv)[0] / 1000


class Request:
    """`number`: of the requests for this target at this port, from 1. `time`: when it came."""

    def __init__(self, method, target, fields, port, number, came):
        self.method, self.target, self.fields, self.port, self.number = method, target, fields, port, number
        self.time = came

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def get(self, name):
        return ', '.join(self.all(name))


class Run:
    """What came of one run of the program. `requests`: those that were sent during it."""

    def __init__(self, site, words, code, text, requests):
        self.site, self.words, self.code, self.text, self.requests = site, words, code, text, requests

    @property
    def asked(self):
        """Targets in the order of their requests, without robots.txt."""
        return [r.target for r in self.requests if r.target != '/robots.txt']

    def wants(self, *targets, never=(), once=()):
        """Each of `targets` and `once` was asked for, those of `once` one time, and none of `never`."""
        asked = self.asked
        missing = [t for t in (*targets, *once) if t not in asked]
        extra = [t for t in never if t in asked]
        often = ['%s (%d times)' % (t, asked.count(t)) for t in once if asked.count(t) > 1]
        assert not missing and not extra and not often, \
            'missing %s, extra %s, too often %s' % (missing, extra, often)

    def exits(self, code=0):
        assert self.code == code, 'exit %s, not %s' % (self.code, code)

    def says(self, *phrases, never=()):
        for phrase in phrases:
            assert phrase in self.text, 'did not say %r' % phrase
        for phrase in never:
            assert phrase not in self.text, 'said %r' % phrase


class Site:
    def __init__(self, program):
        self.program, self.log, self.servers, self.routes, self.lock = program, [], [], {}, threading.Lock()
        self.scratch = tempfile.TemporaryDirectory(prefix='strata-answers-')
        self.dir = os.path.join(self.scratch.name, 'crawl')
        # idle: what is sent on a connection that was idle for 0.3 s, as an answer is; then it is closed, but for a Hold.
        # late: targets that are asked for after that on the same connection.
        self.host, self.idle, self.late, self.tls, self.plain = '127.0.0.1', None, [], None, set()
        self.port = self.listen()

    # ---- the server ----

    def listen(self, address='127.0.0.1', port=0):
        """One more port; returns it. The routes of {port: {target: ...}} are for that port alone."""
        site = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    if site.tls and self.server.server_address[1] not in site.plain:
                        self.request = site.tls.wrap_socket(self.request, server_side=True)
                    site.serve_connection(self.request, self.server.server_address[1])
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            address_family = socket.AF_INET6 if ':' in address else socket.AF_INET
            request_queue_size = 128

        server = Server((address, port), Handler)
        threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()
        self.servers.append(server)
        return server.server_address[1]

    def use_tls(self):
        """https at all ports from now on but those of `plain`. Returns the options with which the program believes it."""
        certificate, key = self.path('certificate.pem'), self.path('key.pem')
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
                        '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=answers',
                        '-addext', 'subjectAltName=IP:127.0.0.1,IP:127.0.0.77,DNS:localhost'],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        return '--ca-file', certificate

    def serve(self, routes):
        """Target -> bytes, or a function of the Request that returns them; None closes the connection."""
        self.routes.update(routes)

    def answer(self, request):
        routes = {**self.routes, **self.routes.get(request.port, {})}
        if request.target not in routes:
            return reply('no such page', '404 Not Found')
        said = routes[request.target]
        return said(request) if callable(said) else said

    def serve_connection(self, connection, port):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data, count, is_late, came = b'', 0, False, 0
        while True:
            while b'\r\n\r\n' not in data:
                connection.settimeout(0.3 if self.idle is not None and count and not data and not is_late else 120)
                try:
                    more = connection.recv(65536)
                except socket.timeout:
                    connection.sendall(self.idle)
                    if not isinstance(self.idle, Hold):
                        return self.end_idle(connection)
                    is_late = True
                    continue
                if not more:
                    return
                came = arrival(connection)
                data += more
            connection.settimeout(120)
            head, data = data.split(b'\r\n\r\n', 1)
            first, *lines = head.decode('latin-1').split('\r\n')
            method, target, _ = first.split(' ', 2)
            fields = [(name, value.strip(' ')) for name, _, value in (line.partition(':') for line in lines)]
            with self.lock:
                number = 1 + sum(r.target == target and r.port == port for r in self.log)
                request = Request(method, target, fields, port, number, came)
                self.log.append(request)
            count += 1
            if is_late:
                self.late.append(target)
            said = self.answer(request)
            if said is None:
                return
            plain = bytes(said)
            if method == 'HEAD':
                plain = plain.split(b'\r\n\r\n', 1)[0] + b'\r\n\r\n'
            connection.sendall(plain)
            if isinstance(said, Hold):
                connection.recv(1)
                return
            if isinstance(said, Reset):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                connection.close()
                return
            block = plain.split(b'\r\n\r\n', 1)[0].lower()
            if isinstance(said, Cut) or not (b'content-length' in block or b'chunked' in block):
                return

    def end_idle(self, connection):
        """With TLS, a goodbye first, but not behind a Cut."""
        if self.tls and not isinstance(self.idle, Cut):
            connection.unwrap()

    # ---- the program ----

    def url(self, path='/', port=None):
        return '%s://%s:%d%s' % ('https' if self.tls else 'http', self.host, port or self.port, path)

    def path(self, name, content=None):
        """A file of the case's own directory, with this content if it is given."""
        path = os.path.join(self.scratch.name, name)
        if content is not None:
            with open(path, 'wb') as file:
                file.write(content.encode() if isinstance(content, str) else content)
        return path

    def start(self, *words):
        return subprocess.Popen([self.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, cwd=self.scratch.name)

    def run(self, *words):
        """The program with these words, to its end."""
        with self.lock:
            before = len(self.log)
        process = self.start(*words)
        try:
            text = process.communicate(timeout=SECONDS_MAX)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0] + b'\n(killed: it took too long)'
        with self.lock:
            return Run(self, words, process.returncode, text.decode(errors='replace'), self.log[before:])

    def crawl(self, *options, start=None, command='crawl', delay='0'):
        """A crawl of the site into self.dir. `start`: paths or URLs; () to go on without any."""
        starts = ('/',) if start is None else (start,) if isinstance(start, str) else start
        urls = [s if '://' in s else self.url(s) for s in starts]
        return self.run(command, '--dir', self.dir, '--allow-private', '--delay', delay, '--quiet', *options, *urls)

    def audit(self, *options, **more):
        return self.crawl(*options, command='audit', **more)

    def lines(self):
        """The lines of pages.jsonl, in their order."""
        with open(os.path.join(self.dir, 'pages.jsonl'), encoding='utf-8') as file:
            return [json.loads(line) for line in file]

    def lines_of(self, path):
        return [line for line in self.lines() if '/' + line['url'].split('/', 3)[3] == path]

    def line(self, path):
        """The last line of this target."""
        found = self.lines_of(path)
        assert found, 'pages.jsonl has no line of %s' % path
        return found[-1]

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        self.scratch.cleanup()


def run_case(program, name, function):
    """None, or what went wrong."""
    site = Site(program)
    runs = []
    site.run, plain = (lambda *words: runs.append(plain(*words)) or runs[-1]), site.run
    try:
        function(site)
        return None
    except Skip as reason:
        print('skipped: %s: %s' % (name, reason))
        return None
    except Exception as error:  # whatever it is, it is told with the case's name
        where = traceback.extract_tb(error.__traceback__)
        line = next((f for f in reversed(where) if f.name == name), where[-1])
        told = ['%s: %s' % (name, ' '.join((function.__doc__ or '').split())),
                '  line %d: %s: %s' % (line.lineno, type(error).__name__, error)]
        for run in runs:
            told += ['  strata %s' % ' '.join(run.words), '    exit %s, asked for %s' % (run.code, ' '.join(run.asked)[:1500]),
                     '    ' + run.text[-1500:].replace('\n', '\n    ')]
        return '\n'.join(told)
    finally:
        site.close()


def cases_of(path):
    sys.modules.setdefault('answers', sys.modules['__main__'])
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(name, f) for name, f in vars(module).items()
            if inspect.isfunction(f) and f.__module__ == module.__name__ and not name.startswith('_')]


def main(words):
    wanted = os.environ.get('STRATA_TEST')
    if '-k' in words:
        at = words.index('-k')
        wanted = words[at + 1]
        del words[at:at + 2]
    if len(words) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(words[0])
    cases = [c for path in words[1:] for c in cases_of(path) if wanted in (None, c[0])]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        failures = [f for f in pool.map(lambda c: run_case(program, *c), cases) if f]
    print('\n'.join(failures + ['%d passed, %d failed' % (len(cases) - len(failures), len(failures))]))
    return 1 if failures or not cases else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
