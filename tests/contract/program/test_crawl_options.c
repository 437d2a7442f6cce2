/* Options of a crawl, seen from the server: what may be asked for, and who is told what. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/site/warc_reader.h"
#include "tests/support/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--ignore-robots", "--tries", "1"
#define HALF_A_PAGE "01234567890123456789012345678901234567890123456789"
#define PAGE_OF_100 HALF_A_PAGE HALF_A_PAGE

static small *s;

static void answer_index(int fd)
{
  text body = {0};
  text_addf(&body,
            SMALL_HTML "<a href=/a/1>x</a><a href=/a/2>x</a><a href=/b/1>x</a><a href=/secrets>x</a>"
                       "<a href=http://localhost:%u/secrets?elsewhere>x</a>" PAGE_OF_100,
            small_port);
  raw_send(fd, body.bytes, body.size);
  text_free(&body);
}

/* The request's head, as a page: what was told to this host. */
static void answer_secrets(int fd)
{
  static const char *const secrets[] = {"Authorization: Basic bmFtZTpwYXNz", "X-Secret: 1", "Cookie: a=b"};
  raw_send_string(fd, SMALL_HTML);
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    if (strstr(raw_head(), secrets[i]))
      raw_send_string(fd, secrets[i]);
}

static void answer(int fd, const char *target)
{
  const char *authority = strstr(target, "http://proxied.example") == target ? strchr(target + 7, '/') : NULL;
  if (authority && strcmp(authority, "/") == 0) /* asked as a proxy */
    raw_send_string(fd, SMALL_HTML
                    "<a href=/more>x</a><a href=http://127.0.0.1/private>x</a>"
                    "<a href='http://[::ffff:10.0.0.1]/private'>x</a><a href=http://localhost:99/private>x</a>"
                    "<a href=http://2130706433/private>x</a><a href=http://ip6-localhost/private>x</a>"
                    "<a href=http://metadata.google.internal/private>x</a><a href=http://wiki/private>x</a>"
                    "<a href=http://LOCALHOST./private>x</a><a href=http://printer.local/private>x</a>"
                    "<a href='http://[3fff::1]/private'>x</a>");
  else if (authority)
    raw_send_string(fd, SMALL_LEAF);
  else if (strcmp(target, "/") == 0)
    answer_index(fd);
  else if (strstr(target, "secrets"))
    answer_secrets(fd);
  else if (strncmp(target, "/a/", 3) == 0 || strncmp(target, "/b/", 3) == 0)
    raw_send_string(fd, SMALL_HTML PAGE_OF_100);
  else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

static void run(const char *const words[], int code)
{
  assert_int_equal(small_strata(s, words, code), code);
}

static void assert_fetched(const char *const words[], const char *wanted)
{
  run(words, 0);
  text fetched = small_fetched(s);
  assert_string_equal(fetched.bytes, wanted);
  text_free(&fetched);
}

static long long body_bytes_of(const char *end)
{
  page_log log = pages_read(s->trial->pages);
  long long bytes = -1;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const char *address = pages_url(&log, i);
    if (strlen(address) >= strlen(end) && strcmp(address + strlen(address) - strlen(end), end) == 0)
      bytes = pages_number(&log, i, "body_bytes");
  }
  pages_free(&log);
  return bytes;
}

CASE(patterns_decide_which_links_are_taken)
{
  const char *const words[] = {CRAWL, "--allow-private", "--include", "/a/", "--include",
                               "/b/", "--exclude",       "2$",        "URL", NULL};
  assert_fetched(words, "/ /a/1 /b/1 ");
  assert_non_null(strstr(s->trial->err.bytes, "2 pattern"));
}

CASE(patterns_are_the_directory_s)
{
  const char *const first[] = {CRAWL, "--allow-private", "--max-pages", "1", "--include", "/a/", "URL", NULL};
  run(first, 0);
  const char *const others[] = {CRAWL, "--allow-private", "--include", "/b/", NULL};
  run(others, 2);
  assert_non_null(strstr(s->trial->err.bytes, "--include"));
  const char *const more[] = {CRAWL, "--allow-private", "--exclude", "/b/", NULL};
  run(more, 2);
  assert_non_null(strstr(s->trial->err.bytes, "--exclude"));
  const char *const none[] = {CRAWL, "--allow-private", NULL};
  assert_fetched(none, "/ /a/1 /a/2 ");
  const char *const same[] = {CRAWL, "--allow-private", "--include", "/a/", NULL};
  run(same, 0);
}

CASE(no_more_bytes_than_told)
{
  const char *const words[] = {CRAWL, "--allow-private", "--connections", "1", "--max-bytes", "300", "URL", NULL};
  run(words, 0);
  assert_non_null(strstr(s->trial->err.bytes, "--max-bytes"));
  page_log log = pages_read(s->trial->pages);
  assert_in_range(pages_count(&log), 1, 3);
  pages_free(&log);
  const char *const resumed[] = {CRAWL, "--allow-private", NULL};
  assert_fetched(resumed, "/ /a/1 /a/2 /b/1 /secrets ");
}

CASE(the_whole_web)
{
  const char *const words[] = {CRAWL, "--allow-private", "--scope", "any", "URL", NULL};
  assert_fetched(words, "/ /a/1 /a/2 /b/1 /secrets /secrets?elsewhere ");
  assert_int_equal(body_bytes_of("/secrets"), 0);
  const char *const other[] = {CRAWL, "--allow-private", "--scope", "domain", NULL};
  run(other, 2);
  assert_non_null(strstr(s->trial->err.bytes, "--scope"));
}

/* The password and the headers are for the host that was named, and for nobody it links to. */
CASE(secrets_go_where_they_belong)
{
  char *cookies = trial_path(s->trial, "cookies.txt");
  FILE *file = fopen(cookies, "w");
  assert_non_null(file);
  fputs("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n", file);
  fclose(file);
  const char *const words[] = {CRAWL,         "--allow-private", "--scope", "any",         "--user", "name:pass", "-H",
                               "X-Secret: 1", "--cookies",       cookies,   "--max-pages", "3",      "URL",       NULL};
  run(words, 0);
  const char *const resumed[] = {
    CRAWL,         "--allow-private", "--user", "name:pass", "--header",
    "X-Secret: 1", "--cookies",       cookies,  NULL}; /* no URL here: the directory knows whom to trust */
  assert_fetched(resumed, "/ /a/1 /a/2 /b/1 /secrets /secrets?elsewhere ");
  assert_int_equal(body_bytes_of("/secrets"), strlen("Authorization: Basic bmFtZTpwYXNz"
                                                     "X-Secret: 1"
                                                     "Cookie: a=b"));
  assert_int_equal(body_bytes_of("/secrets?elsewhere"), 0);
  free(cookies);
}

/* https://localhost is a start URL, http://localhost a link, at the same port: what it is told all can read. */
CASE(secrets_are_bound_to_the_scheme)
{
  char start[64], *cookies = trial_path(s->trial, "cookies.txt");
  FILE *file = fopen(cookies, "w");
  assert_non_null(file);
  fputs("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\nlocalhost\tFALSE\t/\tFALSE\t0\ta\tb\n", file);
  fclose(file);
  snprintf(start, sizeof start, "https://localhost:%u/", small_port);
  const char *const words[] = {
    CRAWL,       "--allow-private", "--scope",   "any", "--user", "name:pass", "--header", "X-Secret: 1",
    "--cookies", cookies,           "--timeout", "1",   "URL",    start,       NULL};
  run(words, 0);
  assert_int_equal(body_bytes_of("/secrets"), strlen("Authorization: Basic bmFtZTpwYXNz"
                                                     "X-Secret: 1"
                                                     "Cookie: a=b"));
  assert_int_equal(body_bytes_of("/secrets?elsewhere"), 0);
  free(cookies);
}

/* ---- what is kept of secrets ------------------------------------------------------------------------------ */

static const char *const secrets[] = {"pa55word", "bmFtZTpwYTU1d29yZA", "h3ader", "c00kie",
                                      "pr0xy",    "d2hvOnByMHh5",       NULL};

static void assert_no_secret(const char *where, const char *bytes, size_t size)
{
  for (size_t i = 0; secrets[i]; i++)
    if (memmem(bytes, size, secrets[i], strlen(secrets[i])))
      fail_msg("%s: \"%s\" is in it", where, secrets[i]);
}

static int look_into(const char *path, const struct stat *info, int type, struct FTW *at)
{
  (void)info;
  (void)at;
  text file = {0};
  if (type == FTW_F && text_add_file(&file, path))
    assert_no_secret(path, file.bytes, file.size);
  text_free(&file);
  return 0;
}

static unsigned look_into_warc(const char *name)
{
  unsigned requests = 0;
  char *path = trial_path(s->trial, name);
  warc_content content = warc_content_read(path);
  assert_int_equal(content.bad, 0);
  for (size_t i = 0; i < content.count; i++) {
    assert_no_secret(name, content.items[i].block.bytes, content.items[i].block.size);
    requests += warc_item_is(&content.items[i], "request") && strstr(content.items[i].block.bytes, "\nUser-Agent: ");
  }
  warc_content_free(&content);
  free(path);
  return requests;
}

static void look_everywhere(void)
{
  assert_no_secret("stderr", s->trial->err.bytes, s->trial->err.size);
  assert_int_equal(nftw(s->trial->crawl, look_into, 8, FTW_PHYS), 0);
  const char *const report[] = {"report", "DIR", "--out", "-", NULL};
  run(report, 0);
  assert_no_secret("report", s->trial->out.bytes, s->trial->out.size);
}

/* The password, headers, cookies and the proxy's password go over the wire, and nowhere else. */
CASE(secrets_reach_no_file)
{
  char proxy[64], *cookies = trial_path(s->trial, "cookies.txt"), *summary = trial_path(s->trial, "crawl.json");
  FILE *file = fopen(cookies, "w");
  assert_non_null(file);
  fputs("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tc00kie\n", file);
  fclose(file);
  snprintf(proxy, sizeof proxy, "--proxy=http://who:pr0xy@127.0.0.1:%u", small_port);
  /* clang-format off */
  const char *const words[] = {CRAWL, "--allow-private", "--warc", "--exclude", "secrets", "--user", "name:pa55word",
                               "-HX-One: h3ader", "--head=X-Two:h3ader", "--cookies", cookies, "--summary", summary,
                               "--connections", "1", "--max-pages", "2", "URL", NULL};
  /* clang-format on */
  run(words, 0);
  assert_non_null(strstr(s->trial->err.bytes, "--user name:SECRET '-HX-One: SECRET' --head=X-Two:SECRET --cookies "));
  assert_non_null(strstr(s->trial->err.bytes, "SECRET stands for"));
  look_everywhere();
  const char *const proxied[] = {CRAWL, "--allow-private",         "--warc", proxy, "--scope", "any", "--max-pages",
                                 "1",   "http://proxied.example/", NULL};
  char *other = s->trial->crawl;
  assert_true(look_into_warc("crawl/pages-00001.warc.gz") >= 2);
  look_into(summary, NULL, FTW_F, NULL);
  s->trial->crawl = trial_path(s->trial, "proxied");
  run(proxied, 0);
  assert_non_null(strstr(s->trial->err.bytes, " --proxy=http://who:SECRET@127.0.0.1:"));
  look_everywhere();
  assert_int_equal(look_into_warc("proxied/pages-00001.warc.gz"), 1);
  free(s->trial->crawl);
  s->trial->crawl = other;
  free(cookies);
  free(summary);
}

/* What a URL spells out is refused here: the proxy would go there. */
CASE(through_a_proxy)
{
  char proxy[64];
  snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", small_port);
  const char *const words[] = {CRAWL, "--scope", "any", "--proxy", proxy, "http://proxied.example/", NULL};
  run(words, 0);
  page_log log = pages_read(s->trial->pages);
  assert_int_equal(pages_count(&log), 2);
  for (size_t i = 0; i < pages_count(&log); i++)
    assert_null(strstr(pages_url(&log, i), "/private"));
  pages_free(&log);
  /* two spellings of 127.0.0.1 are one page */
  assert_non_null(strstr(s->trial->err.bytes, "Waiting: 9 URLs whose address is not public; "));
}

/* Somebody's http_proxy would see every request, and connect to private addresses for us. */
CASE(no_proxy_from_the_environment)
{
  static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"};
  char proxy[64];
  snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", small_port);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    setenv(names[i], proxy, 1);
  const char *const words[] = {CRAWL, "--allow-private", "http://proxied.example/", NULL};
  run(words, 1); /* nobody has that name */
  const char *const nobody[] = {CRAWL, "--allow-private", "http://127.0.0.1:1/", NULL};
  run(nobody, 1);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unsetenv(names[i]);
}

static int serve(void **state)
{
  static small opened;
  (void)state;
  opened = small_open_with(answer);
  s = &opened;
  return 0;
}

static int stop(void **state)
{
  (void)state;
  small_close(s);
  return 0;
}

EACH_CASE(serve, stop)
