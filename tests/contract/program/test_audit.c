/* strata audit: what it says is broken is what was planted: each link, with its page and element, and no other. Also
 * after kill -9 at any moment, when no link is lost, and none said twice.
 *
 * A plan is drawn from a seed: pages that link to each other, and to targets of all kinds, good and bad, here and on
 * another server. Both servers answer from the plan alone. */
#include "tests/site/random.h"
#include "tests/site/raw.h"
#include "tests/site/small.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 60, LINKS = 12 /* of a page */, TITLES = 20 };

#define EMPTY "Content-Length: 0\r\nConnection: close\r\n\r\n"

/* Targets by name; NAME-0, NAME-1, ... are of one kind. */
static const struct kind {
  const char *name;
  const char *answer;
  const char *status; /* of a link there; NULL: it is not broken */
  bool is_here;       /* else on the other server */
} kinds[] = {
  {"here-good", SMALL_LEAF, NULL, true},
  {"here-404", "HTTP/1.1 404 Not Found\r\n" EMPTY, "404", true},
  {"here-410", "HTTP/1.1 410 Gone\r\n" EMPTY, "410", true},
  {"here-418", "HTTP/1.1 418 Teapot\r\n" EMPTY, "418", true},
  {"here-501", "HTTP/1.1 501 Never\r\n" EMPTY, "501", true},
  {"here-500", "HTTP/1.1 500 Oops\r\n" EMPTY, "500", true},
  {"here-401", "HTTP/1.1 401 Who\r\n" EMPTY, NULL, true},
  {"here-403", "HTTP/1.1 403 No\r\n" EMPTY, NULL, true},
  {"here-451", "HTTP/1.1 451 No\r\n" EMPTY, NULL, true},
  {"here-moved", "HTTP/1.1 301 Moved\r\nLocation: /here-good-0\r\n" EMPTY, NULL, true},
  {"here-lost", "HTTP/1.1 302 Moved\r\nLocation: /here-lost-on\r\n" EMPTY, "404", true},
  {"here-round", "HTTP/1.1 301 Moved\r\nLocation: /here-circle\r\n" EMPTY, "301", true},
  {"here-self", "HTTP/1.1 308 Moved\r\nLocation: ?\r\n" EMPTY, NULL,
   true}, /* leads to "here-self-N?", which is not it */
  {"here-long", "HTTP/1.1 307 Moved\r\nLocation: /chain-1\r\n" EMPTY, "307", true},
  {"here-out", "HTTP/1.1 302 Moved\r\nLocation: //127.0.0.1:OTHER/there-410-0\r\n" EMPTY, "410", true},
  {"here-denied", "HTTP/1.1 404 Not Found\r\n" EMPTY, NULL, true},
  {"there-good", SMALL_HTML "<a href=\"/never\">", NULL, false},
  {"there-404", "HTTP/1.1 404 Not Found\r\n" EMPTY, "404", false},
  {"there-410", "HTTP/1.1 410 Gone\r\n" EMPTY, "410", false},
  {"there-403", "HTTP/1.1 403 No\r\n" EMPTY, NULL, false},
  {"there-denied", "HTTP/1.1 404 Not Found\r\n" EMPTY, NULL, false},
  {"there-no-head", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n" EMPTY, NULL, false},
  {"there-mute", "HTTP/1.1 200 OK\r\n" EMPTY, NULL, false},          /* to HEAD it says 404 */
  {"there-never", "HTTP/1.1 404 Not Found\r\n" EMPTY, "404", false}, /* to HEAD it says 405 */
  {"there-moved", "HTTP/1.1 301 Moved\r\nLocation: /there-404-0\r\n" EMPTY, "404", false},
};
enum { KINDS = sizeof kinds / sizeof *kinds, OF_A_KIND = 3, DEAD = KINDS };

/* How a page links; the first ones are followed. */
static const struct way {
  const char *before, *behind, *element;
} ways[] = {
  {"<a href=\"", "\">x</a>", "a@href"},
  {"<A HREF='", "'>x</A>", "a@href"},
  {"<map><area href=", "></map>", "area@href"},
  {"<iframe src=\"", "\"></iframe>", "iframe@src"},
  {"<img src=\"", "\">", "img@src"},
  {"<img srcset=\"", " 2x\">", "img@srcset"},
  {"<script src=\"", "\"></script>", "script@src"},
  {"<link rel=stylesheet href=\"", "\">", "link@href"},
  {"<link rel=\"shortcut icon\" href=\"", "\">", "link@href"},
  {"<link rel=next href=\"", "\">", "link@href"},
  {"<video poster=\"", "\"></video>", "video@poster"},
  {"<video src=\"", "\"></video>", "video@src"},
  {"<audio src=\"", "\"></audio>", "audio@src"},
  {"<video><source src=\"", "\"></video>", "source@src"},
  {"<picture><source srcset=\"", "\"></picture>", "source@srcset"},
  {"<video><track src=\"", "\"></video>", "track@src"},
  {"<embed src=\"", "\">", "embed@src"},
  {"<object data=\"", "\"></object>", "object@data"},
  {"<input type=image src=\"", "\">", "input@src"},
  {"<meta http-equiv=refresh content=\"9; url=", "\">", "meta@content"},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Shared by the servers' processes: requests for each target, by method. */
typedef struct seen {
  unsigned requests, forbidden, expanded;
  unsigned heads[KINDS][OF_A_KIND], gets[KINDS][OF_A_KIND];
} seen;

static seen *seen_by;
static uint64_t plan;
static unsigned other_port;

/* ---- the plan ----------------------------------------------------------------------------------------------- */

typedef struct planted {
  unsigned kind, number, way;
} planted;

static planted link_of(unsigned page, unsigned i)
{
  uint64_t state = random_stream(plan * PAGES + page, i);
  return (planted){random_below(&state, KINDS + 1), random_below(&state, OF_A_KIND), random_below(&state, WAYS)};
}

static void add_target(text *to, planted l)
{
  if (l.kind == DEAD)
    text_addf(to, "http://127.0.0.1:1/%u", l.number);
  else
    text_addf(to, "http://127.0.0.1:%u/%s-%u", kinds[l.kind].is_here ? small_port : other_port, kinds[l.kind].name,
              l.number);
}

static void send_page(int fd, unsigned page)
{
  text out = {0};
  text_addf(&out, "%s<title>Page\n &#x2116; %u</title>", SMALL_HTML, page % TITLES);
  for (unsigned next = 2 * page + 1; next <= 2 * page + 2 && next < PAGES; next++)
    text_addf(&out, "<a href=/page-%u>on</a><a href=/page-0>home</a>\n", next);
  for (unsigned i = 0; i < LINKS; i++) {
    planted l = link_of(page, i);
    text_add(&out, ways[l.way].before);
    add_target(&out, l);
    text_add(&out, ways[l.way].behind);
  }
  raw_send(fd, out.bytes, out.size);
  text_free(&out);
}

static int compare(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What export --broken is to say. */
static text expected(void)
{
  char *rows[PAGES * LINKS + 1];
  size_t count = 0;
  for (unsigned page = 0; page < PAGES; page++)
    for (unsigned i = 0; i < LINKS; i++) {
      planted l = link_of(page, i);
      const char *status = l.kind == DEAD ? "connect" : kinds[l.kind].status;
      text row = {0};
      add_target(&row, l);
      text_addf(&row, ",%s,http://127.0.0.1:%u/page-%u,%s\r\n", status ? status : "", small_port, page,
                ways[l.way].element);
      if (status)
        rows[count++] = strdup(row.bytes);
      text_free(&row);
    }
  text all = {0};
  char by_map[200];
  snprintf(by_map, sizeof by_map, "http://127.0.0.1:%u/here-410-0,410,http://127.0.0.1:%u/map.xml,url@loc\r\n",
           small_port, small_port);
  rows[count++] = strdup(by_map);
  qsort(rows, count, sizeof *rows, compare);
  text_add(&all, "target,status,source,element\r\n");
  for (size_t i = 0; i < count; i++)
    if (i == 0 || strcmp(rows[i], rows[i - 1]) != 0)
      text_add(&all, rows[i]);
  for (size_t i = 0; i < count; i++)
    free(rows[i]);
  assert_true(count > PAGES);
  return all;
}

/* ---- the servers -------------------------------------------------------------------------------------------- */

/* "NAME-N" of a kind? */
static bool is_of_kind(const char *target, unsigned *kind, unsigned *number)
{
  for (*kind = 0; *kind < KINDS; ++*kind) {
    size_t size = strlen(kinds[*kind].name);
    if (strncmp(target + 1, kinds[*kind].name, size) == 0 && target[1 + size] == '-' &&
        sscanf(target + 2 + size, "%u", number) == 1 && *number < OF_A_KIND)
      return true;
  }
  return false;
}

static void send_kind(int fd, unsigned kind, bool is_head)
{
  bool is_refused = is_head && (strstr(kinds[kind].name, "no-head") || strstr(kinds[kind].name, "never"));
  bool is_mute = is_head && strstr(kinds[kind].name, "mute");
  const char *answer = is_refused ? "HTTP/1.1 405 No\r\n" EMPTY
                       : is_mute  ? "HTTP/1.1 404 No\r\n" EMPTY
                                  : kinds[kind].answer,
             *port = strstr(answer, "OTHER");
  text out = {0};
  if (port)
    text_addf(&out, "%.*s%u%s", (int)(port - answer), answer, other_port, port + strlen("OTHER"));
  else
    text_add(&out, answer);
  const char *end = strstr(out.bytes, "\r\n\r\n");
  raw_send(fd, out.bytes, is_head ? (size_t)(end + 4 - out.bytes) : out.size);
  text_free(&out);
}

static void answer(int fd, const char *target)
{
  unsigned kind, number;
  bool is_head = raw_is_head();
  __atomic_fetch_add(&seen_by->requests, 1, __ATOMIC_RELAXED);
  if (strstr(target, "denied"))
    __atomic_fetch_add(&seen_by->forbidden, 1, __ATOMIC_RELAXED);
  if (strcmp(target, "/never") == 0)
    __atomic_fetch_add(&seen_by->expanded, 1, __ATOMIC_RELAXED);
  if (strcmp(target, "/robots.txt") == 0)
    raw_send_string(fd, SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /here-denied\nDisallow: /there-denied\n"
                                   "Sitemap: /map.xml\n");
  else if (strcmp(target, "/map.xml") == 0)
    raw_send_string(fd, SMALL_HEAD "application/xml\r\n\r\n<urlset><url><loc>/page-1</loc></url>"
                                   "<url><loc>/orphan?</loc></url><url><loc>/here-410-0</loc></url></urlset>");
  else if (sscanf(target, "/page-%u", &number) == 1)
    send_page(fd, number);
  else if (sscanf(target, "/chain-%u", &number) == 1) {
    text out = {0};
    text_addf(&out, "HTTP/1.1 302 On\r\nLocation: /chain-%u\r\n" EMPTY, number + 1);
    raw_send(fd, out.bytes, out.size);
    text_free(&out);
  } else if (strcmp(target, "/here-circle") == 0)
    raw_send_string(fd, "HTTP/1.1 302 On\r\nLocation: /here-round-0\r\n" EMPTY);
  else if (strchr(target, '?'))
    raw_send_string(fd, SMALL_LEAF);
  else if (is_of_kind(target, &kind, &number)) {
    __atomic_fetch_add(is_head ? &seen_by->heads[kind][number] : &seen_by->gets[kind][number], 1, __ATOMIC_RELAXED);
    send_kind(fd, kind, is_head);
  } else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\n" EMPTY);
}

static small here;
static pid_t there;

static int serve(void **state)
{
  (void)state;
  seen_by = mmap(NULL, sizeof *seen_by, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(seen_by, MAP_FAILED);
  plan = random_seed();
  there = raw_start(answer, &other_port);
  here = small_open_with(answer);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  small_close(&here);
  process_kill(there);
  munmap(seen_by, sizeof *seen_by);
  return 0;
}

/* ---- cases -------------------------------------------------------------------------------------------------- */

#define WORDS "--dir", "DIR", "--delay", "0", "--allow-private", "--tries", "1", "--connections", "8"
static const char *start_page(void)
{
  static char address[64];
  snprintf(address, sizeof address, "http://127.0.0.1:%u/page-0", small_port);
  return address;
}

static void assert_as_planned(void)
{
  text rows = expected();
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--broken", NULL}, 4), 4);
  assert_string_equal(here.trial->out.bytes, rows.bytes);
  text_free(&rows);
}

/* What HEAD says of it is an error, so that GET is to say whether it is one. */
static bool is_asked_twice(unsigned kind)
{
  static const char *const names[] = {"there-404", "there-410", "there-403", "no-head", "mute", "never"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(kinds[kind].name, names[i]))
      return true;
  return false;
}

static void assert_polite(bool was_killed)
{
  assert_int_equal(seen_by->forbidden, 0);
  assert_int_equal(seen_by->expanded, 0);
  for (unsigned kind = 0; kind < KINDS && !was_killed; kind++)
    for (unsigned i = 0; i < OF_A_KIND; i++) {
      unsigned heads = seen_by->heads[kind][i], gets = seen_by->gets[kind][i];
      assert_true(heads <= 1 && gets <= 1);
      if (!kinds[kind].is_here)
        assert_int_equal(gets, is_asked_twice(kind) ? heads : 0);
    }
}

static size_t count_of(const char *page, const char *what)
{
  size_t count = 0;
  for (const char *at = page; (at = strstr(at, what)); at += strlen(what))
    count++;
  return count;
}

CASE_WITH(it_says_what_was_planted, serve, stop)
{
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", WORDS, start_page(), NULL}, 4), 4);
  assert_non_null(strstr(here.trial->err.bytes, " of them broken ("));
  assert_non_null(strstr(here.trial->err.bytes, "--broken"));
  assert_non_null(strstr(here.trial->err.bytes, " are not checked, for robots.txt or a private address.\n"));
  assert_as_planned();
  assert_polite(false);
  text lines = {0};
  assert_true(text_add_file(&lines, here.trial->pages));
  assert_int_equal(count_of(lines.bytes, "\"loop\":true"), 1);
  assert_true(count_of(lines.bytes, "\"hops\":20,") > 0);
  text_free(&lines);
  text csv = here.trial->out;
  here.trial->out = (text){0};
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--broken", "--format", "jsonl", NULL},
                                4),
                   4);
  char *rest = here.trial->out.bytes, *of_csv = strchr(csv.bytes, '\n') + 1;
  for (char *line; (line = strsep(&rest, "\n")) && *line;) {
    char target[200], status[20], source[200], element[20], object[500];
    assert_int_equal(sscanf(of_csv, "%199[^,],%19[^,],%199[^,],%19[^\r]", target, status, source, element), 4);
    const char *quote = *status >= '0' && *status <= '9' ? "" : "\"";
    snprintf(object, sizeof object, "{\"target\":\"%s\",\"status\":%s%s%s,\"source\":\"%s\",\"element\":\"%s\"}",
             target, quote, status, quote, source, element);
    assert_string_equal(line, object);
    of_csv = strchr(of_csv, '\n') + 1;
  }
  assert_int_equal(*of_csv, '\0');
  text_free(&csv);
}

/* A counter, as stat prints it. */
static unsigned long counter_of(const char *name)
{
  assert_int_equal(small_strata(&here, (const char *const[]){"stat", "DIR", NULL}, 0), 0);
  const char *at = strstr(here.trial->out.bytes, name);
  return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

/* The same command changes nothing that was counted; with --retry-failed all that failed is asked again, and counted
 * once. */
CASE_WITH(it_counts_once, serve, stop)
{
  static const char *const names[] = {"\nerrors ", "\nfailed-4xx ", "\nchecked ", "\nunfetched "};
  enum { NAMES = sizeof names / sizeof *names };
  unsigned long before[NAMES] = {0};
  (void)state;
  for (unsigned run = 0; run < 3; run++) {
    const char *const words[] = {"audit", WORDS, start_page(), run == 2 ? "--retry-failed" : NULL, NULL};
    unsigned requests = seen_by->requests;
    unsigned long sum = 0; /* one of them may be 0: a plan may lack what it counts */
    assert_int_equal(small_strata(&here, words, 4), 4);
    assert_true(run != 1 || seen_by->requests == requests);
    for (size_t i = 0; i < NAMES; i++) {
      unsigned long now = counter_of(names[i]);
      sum += now;
      before[i] = run ? before[i] : now;
      assert_int_equal(now, before[i]);
    }
    assert_true(sum > 0);
  }
  assert_as_planned();
}

/* A crawl that was cut short says how much it has not looked at. */
CASE_WITH(what_waits_is_not_fine, serve, stop)
{
  const char *const words[] = {"audit", WORDS, "--max-pages", "2", start_page(), NULL};
  int code = trial_strata(here.trial, words);
  assert_true(code == 0 || code == 4);
  assert_non_null(strstr(here.trial->err.bytes, " not checked yet.\n"));
}

#define A(url) "<td><a rel=\"noopener noreferrer\" href=\"" url "\">" url "</a></td>"

static bool is_linked(const char *name, unsigned number)
{
  for (unsigned page = 0; page < PAGES; page++)
    for (unsigned i = 0; i < LINKS; i++) {
      planted l = link_of(page, i);
      if (l.kind != DEAD && l.number == number && strcmp(kinds[l.kind].name, name) == 0)
        return true;
    }
  return false;
}

/* Redirects in a circle: /here-round-0 and /here-circle to each other, others to /here-circle. Over 20 hops: from where
 * a page links to, not from what comes in between. */
static void assert_circles(const char *html)
{
  size_t round = 0, longs = 0;
  for (unsigned number = 0; number < OF_A_KIND; number++) {
    round += is_linked("here-round", number);
    longs += is_linked("here-long", number);
  }
  size_t in_circles = round ? round + 1 + !is_linked("here-round", 0) : 0;
  assert_int_equal(count_of(html, "<td>loop</td>"), in_circles);
  assert_int_equal(count_of(html, "<td>over 20</td>"), longs);
}

/* Each row of the plan is in it, and no more; and what else is wrong with the site. */
CASE_WITH(the_report_says_it_too, serve, stop)
{
  text rows = expected(), html = {0}, row = {0};
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", WORDS, start_page(), NULL}, 4), 4);
  assert_int_equal(small_strata(&here, (const char *const[]){"report", "DIR", "--out", "-", NULL}, 0), 0);
  text_add_bytes(&html, here.trial->out.bytes, here.trial->out.size);
  char *table = strstr(html.bytes, "<h2>Broken links"), *end = strstr(table, "</table>"), *rest = rows.bytes;
  *end = '\0';
  strsep(&rest, "\n");
  size_t count = 0;
  for (char *line; (line = strsep(&rest, "\n")) && *line; count++) {
    char target[200], status[20], source[200], element[20];
    assert_int_equal(sscanf(line, "%199[^,],%19[^,],%199[^,],%19[^\r]", target, status, source, element), 4);
    text_clear(&row);
    text_addf(&row, "<tr>" A("%s") "<td>%s</td>" A("%s") "<td>%s</td></tr>", target, target, status, source, source,
              element);
    assert_non_null(strstr(table, row.bytes));
  }
  assert_int_equal(count_of(table, "<tr>"), 1 + count);
  const char *others = end + 1;
  assert_non_null(strstr(others, "<h2>Redirects"));
  assert_circles(others);
  assert_non_null(strstr(others, "<td>&#80;&#97;&#103;&#101;&#32;&#8470;&#32;&#55;</td><td>3</td>"));
  assert_non_null(strstr(others, ">20 titles"));
  assert_non_null(strstr(others, "/orphan?\">"));
  assert_non_null(strstr(others, ">1 pages that a sitemap names"));
  assert_non_null(strstr(others, "/there-denied-"));
  text_free(&rows);
  text_free(&html);
  text_free(&row);
}

/* Killed again and again, and gone on with; without --audit, which the directory knows. */
CASE_WITH(nothing_is_lost_by_kill_9, serve, stop)
{
  uint64_t dice = plan;
  const char *first[] = {"crawl", "--audit", WORDS, start_page(), NULL}, *then[] = {"crawl", WORDS, NULL};
  for (unsigned life = 0; life < 5; life++) {
    unsigned until = seen_by->requests + 10 + random_below(&dice, 60);
    pid_t pid = trial_strata_start(here.trial, life ? then : first);
    for (unsigned waits = 0; seen_by->requests < until && waits < 3000; waits++)
      usleep(1000);
    kill(pid, SIGKILL);
    trial_collect(here.trial, pid);
  }
  assert_int_equal(small_strata(&here, then, 4), 4);
  assert_as_planned();
  assert_polite(true);
}

/* Bytes of the log changed, or its end missing, or more behind it: each command ends, and says what is wrong. */
CASE_WITH(a_damaged_log_is_a_sentence, serve, stop)
{
  uint64_t dice = plan;
  char path[SCRATCH_PATH];
  size_t size;
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", WORDS, start_page(), NULL}, 4), 4);
  scratch_join(here.trial->crawl, "edges", path);
  char *whole = scratch_read(path, &size), *changed = malloc(size + 100);
  assert_non_null(changed);
  for (unsigned i = 0; i < 24; i++) {
    static const char *const commands[][5] = {{"export", "DIR", "--broken", NULL}, {"report", "DIR", NULL}};
    size_t to = i % 3 ? size : random_below(&dice, (unsigned)size);
    memcpy(changed, whole, size);
    memset(changed + size, 0xA5, 100);
    for (unsigned k = 0; i % 3 == 1 && k < 20; k++)
      changed[random_below(&dice, (unsigned)size)] = (char)random_below(&dice, 256);
    scratch_write(path, changed, i % 3 == 2 ? to + 100 : to);
    int code = trial_strata(here.trial, commands[i % 2]);
    assert_true(code == 0 || code == 4 || (code == 1 && strstr(here.trial->err.bytes, "edges")));
  }
  scratch_write(path, whole, size / 2);
  assert_int_equal(small_strata(&here, (const char *const[]){"crawl", WORDS, NULL}, 1), 1);
  assert_non_null(strstr(here.trial->err.bytes, "shorter than the crawl says"));
  free(whole);
  free(changed);
}

/* What is fine, in scope, and its own original. */
CASE(pages_make_a_sitemap)
{
  static const small_page pages[] = {
    {"/", SMALL_HTML "<a href='/a?x=1&amp;y=2'>a</a><a href=/copy>b</a><a href=/no>c</a><a href=/gone>d</a>"
                     "<a href=/moved>e</a><a href=/pic>f</a><link rel=canonical href=/>"},
    {"/a?x=1&y=2", SMALL_LEAF},
    {"/copy", SMALL_HTML "<link rel=canonical href=/>"},
    {"/no", SMALL_HTML "<meta name=robots content=noindex>"},
    {"/moved", "HTTP/1.1 301 Moved\r\nLocation: /a?x=1&y=2\r\n" EMPTY},
    {"/pic", SMALL_HEAD "image/png\r\n\r\nx"},
    {NULL, NULL},
  };
  small s = small_open(pages);
  text expected_map = {0};
  assert_int_equal(small_strata(&s, (const char *const[]){"crawl", WORDS, "URL", NULL}, 0), 0);
  assert_int_equal(small_strata(&s, (const char *const[]){"export", "DIR", "--format", "sitemap", NULL}, 0), 0);
  text_addf(&expected_map,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
            "<url><loc>%s</loc></url>\n<url><loc>%sa?x=1&#38;y=2</loc></url>\n</urlset>\n",
            s.trial->url, s.trial->url);
  assert_string_equal(s.trial->out.bytes, expected_map.bytes);
  const char *const part[] = {"export", "DIR", "--format", "sitemap", "--part", "2", NULL};
  assert_int_equal(small_strata(&s, part, 0), 0);
  assert_null(strstr(s.trial->out.bytes, "<url>"));
  text_free(&expected_map);
  small_close(&s);
}

CASE_WITH(what_it_refuses, serve, stop)
{
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", NULL}, 2), 2);
  assert_int_equal(small_strata(&here, (const char *const[]){"crawl", "--audit", "--no-store", start_page(), NULL}, 2),
                   2);
  assert_int_equal(small_strata(&here, (const char *const[]){"crawl", WORDS, "--max-pages", "3", start_page(), NULL},
                                0),
                   0);
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", WORDS, NULL}, 2), 2);
  assert_non_null(strstr(here.trial->err.bytes, "is no audit, and cannot become one"));
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--broken", NULL}, 1), 1);
  assert_non_null(strstr(here.trial->err.bytes, "not audited"));
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--broken", "--format", "text", NULL}, 2),
                   2);
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--broken", "--state", "done", NULL}, 2),
                   2);
  assert_int_equal(small_strata(&here, (const char *const[]){"export", "DIR", "--format", "csv", NULL}, 2), 2);
  assert_int_equal(small_strata(&here, (const char *const[]){"audit", "--help", NULL}, 0), 0);
}
