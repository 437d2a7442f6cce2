"""A site on 127.0.0.1 whose pages link to each other: PAGES of them, each reached from /0; /moved-N leads to /N."""
import random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import List


def links_of(page: int, pages: int) -> List[int]:
    chosen = random.Random(page)
    tree = [child for child in (3 * page + 1, 3 * page + 2, 3 * page + 3) if child < pages]
    return tree + [chosen.randrange(pages) for _ in range(5)]


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        name = self.path.strip("/")
        if name.startswith("moved-"):
            self.send_response(301)
            self.send_header("Location", "/" + name[6:])
            body = b""
        elif name.isdigit() and int(name) < self.server.pages:
            self.send_response(200)
            links = [f"/moved-{n}" if n % 7 == 0 else f"/{n}" for n in links_of(int(name), self.server.pages)]
            body = "".join(f'<a href="{link}">{link}</a>\n' for link in links).encode()
            self.send_header("Content-Type", "text/html")
        else:
            self.send_response(404)
            body = b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused):
        pass


class Site(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with the usual 5, connections of a busy machine are dropped, and asked for again

    def __init__(self, pages: int) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.pages, self.asked = pages, []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "Site":
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *unused) -> None:
        self.shutdown()
        self.server_close()
