/* strata crawl --metrics: Prometheus' text format, by HTTP while the crawl runs and in a file, read by a parser of its
 * own; METRICS.md names what is there. */
#include "tests/site/small.h"
#include "tests/support/crawl_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static small served;

/* ---- a parser ------------------------------------------------------------------------------------------------ */

typedef struct family {
  char name[80], type[16];
  bool has_help;
  unsigned samples;
} family;
static family families[64];
static size_t family_count;

static family *find(const char *name, size_t size)
{
  for (size_t i = 0; i < family_count; i++)
    if (strlen(families[i].name) == size && memcmp(families[i].name, name, size) == 0)
      return &families[i];
  return NULL;
}

static size_t name_size(const char *at)
{
  size_t size = 0;
  while (isalnum((unsigned char)at[size]) || at[size] == '_')
    size++;
  assert_true(size > 0 && !isdigit((unsigned char)*at));
  return size;
}

/* {name="value",...}: what may stand in a value is escaped. */
static const char *pass_labels(const char *at)
{
  do {
    at++;
    at += name_size(at);
    assert_int_equal(strncmp(at, "=\"", 2), 0);
    for (at += 2; *at != '"'; at++) {
      assert_true(*at && *at != '\n');
      if (*at == '\\')
        assert_non_null(strchr("\\\"n", *++at));
    }
    at++;
  } while (*at == ',');
  assert_int_equal(*at, '}');
  return at + 1;
}

static void parse_sample(const char *line)
{
  char *end;
  size_t size = name_size(line);
  family *f = find(line, size);
  assert_non_null(f);
  assert_true(f->has_help && *f->type);
  assert_int_equal(f, &families[family_count - 1]); /* a family's samples stand together */
  f->samples++;
  const char *at = line[size] == '{' ? pass_labels(line + size) : line + size;
  assert_int_equal(*at, ' ');
  double value = strtod(at + 1, &end);
  assert_true(end > at + 1 && !*end && value >= 0);
  bool is_total = size > 6 && memcmp(line + size - 6, "_total", 6) == 0;
  assert_int_equal(is_total, strcmp(f->type, "counter") == 0);
}

static void parse_comment(const char *line)
{
  bool is_help = strncmp(line, "# HELP ", 7) == 0;
  assert_true(is_help || strncmp(line, "# TYPE ", 7) == 0);
  size_t size = name_size(line + 7);
  family *f = find(line + 7, size);
  assert_int_equal(line[7 + size], ' ');
  assert_int_equal(!f, is_help); /* each once, and HELP first */
  if (is_help) {
    f = &families[family_count++];
    snprintf(f->name, sizeof f->name, "%.*s", (int)size, line + 7);
    f->has_help = strlen(line) > 8 + size;
    return;
  }
  snprintf(f->type, sizeof f->type, "%s", line + 8 + size);
  assert_true(strcmp(f->type, "counter") == 0 || strcmp(f->type, "gauge") == 0);
}

static void parse(const char *all)
{
  char *copy = strdup(all), *rest;
  size_t size = strlen(all);
  memset(families, 0, sizeof families);
  family_count = 0;
  assert_true(size && all[size - 1] == '\n');
  for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (*line == '#')
      parse_comment(line);
    else
      parse_sample(line);
  free(copy);
  for (size_t i = 0; i < family_count; i++)
    assert_true(families[i].samples > 0);
}

static void has_line(const char *all, const char *line)
{
  if (!strstr(all, line))
    fail_msg("no \"%s\" in\n%s", line, all);
}

/* ---- the cases ----------------------------------------------------------------------------------------------- */

static const small_page pages[] = {{"/", SMALL_HTML "<a href=a>a</a> <a href=b>b</a> <a href=none>x</a>"},
                                   {"/a", SMALL_HTML "words of a"},
                                   {"/b", SMALL_HTML "words of b"},
                                   {NULL, NULL}};

/* Each row of the table is a family, and the other way round. */
static void is_documented(void)
{
  size_t rows = 0, size;
  char *table = scratch_read(TESTS_DIR "/../crawler/report/METRICS.md", &size);
  assert_non_null(table);
  for (const char *at = table; (at = strstr(at, "\n| `strata_")); rows++) {
    at += strlen("\n| `");
    const family *f = find(at, strcspn(at, "`"));
    if (!f)
      fail_msg("not there: %.40s", at);
    const char *type = strchr(at, '|') + 2;
    assert_int_equal(strncmp(type, f->type, strlen(f->type)), 0);
  }
  assert_int_equal(rows, family_count);
  free(table);
}

CASE(a_file_that_is_replaced)
{
  size_t size;
  struct stat info;
  served = small_open(pages);
  char *path = trial_path(served.trial, "crawl.prom"), *fresh = trial_path(served.trial, "crawl.prom.part"),
       *odd = trial_path(served.trial, "a\"b\\c\nd"), *summary = trial_path(served.trial, "summary");
  scratch_write(path, "old", 3);
  const char *const words[] = {"crawl",     "--dir", odd,         "--delay", "0",   "--allow-private",
                               "--metrics", path,    "--summary", summary,   "URL", NULL};
  assert_int_equal(small_strata(&served, words, 0), 0);
  char *all = scratch_read(path, &size), *ended = scratch_read(summary, &size);
  parse(all);
  is_documented();
  has_line(all, "\nstrata_pages_total 3\n");
  has_line(all, "\nstrata_queue_urls 0\n");
  has_line(all, "\nstrata_fetch_errors_total{reason=\"4xx\"} 1\n");
  has_line(all, "\nstrata_fetch_errors_total{reason=\"timeout\"} 0\n");
  has_line(all, "\nstrata_ended_urls{state=\"done\"} 3\n");
  has_line(all, "/a\\\"b\\\\c\\nd\"} 1\n");
  assert_non_null(strstr(ended, "\"confined\":"));
  assert_int_not_equal(stat(fresh, &info), 0);
  free(all);
  free(ended);
  free(path);
  free(fresh);
  free(odd);
  free(summary);
}

static int ask(unsigned port)
{
  const struct sockaddr_in there = {
    .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  static const char head[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (const struct sockaddr *)&there, sizeof there) != 0) {
    close(fd);
    return -1;
  }
  assert_int_equal(send(fd, head, sizeof head - 1, MSG_NOSIGNAL), sizeof head - 1);
  return fd;
}

/* A socket of ours at a port that was free. */
static int take_port(unsigned *port)
{
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof here;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(fd, (const struct sockaddr *)&here, sizeof here), 0);
  assert_int_equal(listen(fd, 1), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &size), 0);
  *port = ntohs(here.sin_port);
  return fd;
}

/* While it crawls, beside guests that say nothing. The second page waits for a second after the first. */
CASE(over_http_while_it_runs)
{
  enum { SILENT = 12 };
  unsigned port;
  char number[8], answer[16384];
  int silent[SILENT], asked = -1;
  size_t size = 0;
  const struct timespec moment = {.tv_nsec = 20000000};
  served = small_open(pages);
  close(take_port(&port));
  snprintf(number, sizeof number, "%u", port);
  const char *const words[] = {"crawl",           "--dir",     "DIR",  "--delay", "1",
                               "--allow-private", "--metrics", number, "URL",     NULL};
  pid_t process = trial_strata_start(served.trial, words);
  for (int i = 0; i < 500 && asked < 0; i++) {
    asked = ask(port);
    nanosleep(&moment, NULL);
  }
  assert_true(asked >= 0);
  close(asked); /* before it is answered */
  for (int i = 0; i < SILENT; i++)
    silent[i] = ask(port);
  asked = ask(port);
  for (ssize_t got; (got = recv(asked, answer + size, sizeof answer - 1 - size, 0)) > 0;)
    size += (size_t)got;
  answer[size] = '\0';
  close(asked);
  for (int i = 0; i < SILENT; i++)
    close(silent[i]);
  assert_int_equal(trial_collect(served.trial, process), 0);
  has_line(answer, "HTTP/1.1 200 OK\r\n");
  has_line(answer, "Content-Type: text/plain; version=0.0.4");
  parse(strstr(answer, "\r\n\r\n") + 4);
  is_documented();
  snprintf(answer, sizeof answer, "Metrics: http://127.0.0.1:%u/metrics\n", port);
  has_line(served.trial->err.bytes, answer);
}

CASE(what_cannot_be_had)
{
  unsigned port;
  char number[8];
  int fd = take_port(&port);
  snprintf(number, sizeof number, "%u", port);
  served = small_open(pages);
  const struct {
    const char *where, *says;
    int code;
  } rows[] = {
    {number, "Address already in use; choose another port", 1},
    {"65536", "a port from 0 to 65535, or a file's name, please", 2},
    {"", "a port from 0 to 65535, or a file's name, please", 2},
    {"/nowhere/file", "--metrics /nowhere/file: No such file or directory", 1},
    {"/", "--metrics /: Is a directory", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const words[] = {CRAWL, "--metrics", rows[i].where, "URL", NULL};
    struct stat info;
    assert_int_equal(small_strata(&served, words, rows[i].code), rows[i].code);
    has_line(served.trial->err.bytes, rows[i].says);
    assert_ptr_equal(strchr(served.trial->err.bytes, '\n') + 1,
                     served.trial->err.bytes + strlen(served.trial->err.bytes));
    assert_int_not_equal(stat(served.trial->crawl, &info), 0); /* nothing was made */
  }
  close(fd);
}

static int end(void **state)
{
  (void)state;
  small_close(&served);
  return 0;
}

EACH_CASE(NULL, end)
