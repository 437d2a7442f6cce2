/* What is shown is clean: one server sends controls of every kind wherever text can be sent, one directory and its
 * files have such names; every command is run on a terminal that shows UTF-8, on one that shows ASCII, and into files,
 * and every byte is looked at. The files of the crawl stay well formed. At the end the crawl's own files are forged. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/site/warc_reader.h"
#include "tests/support/terminal.h"
#include "tests/support/test.h"
#include "tests/support/unclean.h"

#include <dirent.h>
#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// NOLINTBEGIN(misc-misleading-bidirectional): what is tested is that they mislead nobody

/* C0, DEL, C1 as UTF-8 and bare, bidi controls, separators, broken UTF-8; each alone would be obeyed somewhere. */
#define EVIL                                \
  "\x1b]0;owned\x07\x1b[2J\x7f\xc2\x9b"     \
  "31m\xe2\x80\xae"                         \
  "gpj\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\x9b" \
  "2J\xff\xc3"
#define ACCENT "\xc3\xa9"               /* a letter that every UTF-8 terminal shows */
#define FORGED "\nstrata: forged\n\r\t" /* a second line that looks like ours */
#define MARK "zzmark"                   /* in URLs: forged later, byte for byte */
#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n"
#define TYPE "text/html; charset=utf-8; x=\"\xc2\x9b\xe2\x80\xae\xd8\x9c\xe2\x80\xa8=1+1\""

static const struct row {
  const char *target, *answer;
} rows[] = {
  {"/robots.txt", OK "\r\nUser-agent: *\nDisallow: /" EVIL "\nSitemap: http://" EVIL "/\n"},
  {"/" MARK "/page", OK "Content-Type: text/html\r\n\r\n<p>one two three four five six seven eight nine ten"},
  {"/" MARK "/like", OK "Content-Type: text/html\r\n\r\n<p>one two three four five six seven eight nine ten"},
  {"/type", OK "Content-Type: " TYPE "\r\nX-Evil: \x1b[2J\xc2\x9b\xe2\x80\xae\xff\r\n\r\n<title>" EVIL "</title>"},
  {"/moved", "HTTP/1.1 302 " EVIL "\r\nContent-Length: 0\r\nLocation: /to/\x1b[2J\xc2\x9b\xe2\x80\xae\xff\r\n\r\n"},
  {"/away", "HTTP/1.1 302 x\r\nContent-Length: 0\r\nLocation: http://127.0.0.1\x1b[2J\xc2\x9b/\r\n\r\n"},
  {"/error", "HTTP/1.1 404 " EVIL "\r\nConnection: close\r\nContent-Type: " EVIL "\r\n\r\n" EVIL ACCENT},
  {"/status", "HTTP/1.1 \x1b[2J " EVIL "\r\n\r\n"},
  {"/length", "HTTP/1.1 200 OK\r\nContent-Length: \x1b[2J\xc2\x9b\r\n\r\nx"},
  {"/coding", OK "Content-Encoding: \x1b[2J\xc2\x9b\xe2\x80\xae\r\n\r\nx"},
  {"/folded", OK "X-A: b\r\n\tWARC-Type: request\r\nX-B: c\rWARC-Type: request\r\n\r\nx"},
  {"/warc", OK "Content-Type: text/html\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char page[] = OK
  "Content-Type: text/html\r\nLink: </" EVIL ">; rel=next\r\n\r\n<title>" EVIL "</title>"
  "<a href='/link/" EVIL "'>x</a><a href='http://\xe2\x80\xae"
  "x.example/'>x</a><a href='?q=" EVIL "'>x</a>"
  "<a href='http://h\x1b[2J/'>x</a><a href='/a%0d%0aWARC-Type:%20request'>x</a><a href='/b&#13;&#10;c'>x</a>"
  "<a href='/&#x9b;31m&#x202e;'>x</a><a href='/cal/2026/1'>x</a>";

static void answer(int fd, const char *target)
{
  unsigned year, month;
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].target, target) == 0) {
      raw_send_string(fd, rows[i].answer);
      return;
    }
  raw_send_string(fd, page);
  for (size_t i = 1; i < ROWS; i++) {
    raw_send_string(fd, "<a href='");
    raw_send_string(fd, rows[i].target);
    raw_send_string(fd, "'>x</a>");
  }
  if (sscanf(target, "/cal/%u/%u", &year, &month) == 2 && year < 2100) { /* a trap, for `stat --traps` */
    char link[96];
    for (unsigned next = 0; next < 12; next++) {
      snprintf(link, sizeof link, "<a href='/cal/%u/%u/" MARK "'>x</a>", year + 1, next);
      raw_send_string(fd, link);
    }
  }
}

/* ---- where and what ----------------------------------------------------------------------------------------- */

static trial *t;
static pid_t server;
static text start_url;
static char *evil_file, *list_file, *page_file, *rules_file, *evil_list, *other_dir, *out_dir;

static char *write_file(const char *name, const char *content)
{
  char *path = trial_path(t, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(content, file) >= 0 && fclose(file) == 0);
  return path;
}

/* The words that stand for something, in the tables below. */
static const char *word_of(const char *word)
{
  const struct {
    const char *word, *value;
  } known[] = {{"DIR", t->crawl},    {"URL", start_url.bytes}, {"FILE", evil_file},
               {"LIST", list_file},  {"PAGE", page_file},      {"RULES", rules_file},
               {"LINES", evil_list}, {"OTHER", other_dir},     {"OUT", out_dir}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].word, word) == 0)
      return known[i].value;
  return word;
}

enum { WORDS_MAX = 24 };

static void make_words(const char *const *words, const char *argv[WORDS_MAX + 2])
{
  size_t i = 0;
  argv[0] = STRATA_PROGRAM;
  for (; words[i]; i++)
    argv[i + 1] = word_of(words[i]);
  assert_true(i <= WORDS_MAX);
  argv[i + 1] = NULL;
}

static int set_up(void **state)
{
  unsigned port;
  (void)state;
  t = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  server = raw_start(answer, &port);
  text_addf(&start_url, "http://127.0.0.1:%u/", port);
  free(t->crawl);
  free(t->pages);
  t->crawl = trial_path(t, "crawl" EVIL FORGED);
  text pages = {0};
  text_addf(&pages, "%s/pages.jsonl", t->crawl);
  t->pages = pages.bytes;
  evil_file = trial_path(t, "none" EVIL FORGED);
  text html = {0};
  for (unsigned i = 0; i < 60; i++) /* as much as a similarity digest needs */
    text_addf(&html, "<title>" EVIL "</title><a href='http://h/" EVIL "'>%u</a><a href='" EVIL "'>", i * i * 7919);
  text_add(&html, "<p>one two three four five six seven eight nine ten");
  page_file = write_file("page" EVIL FORGED, html.bytes);
  text_free(&html);
  rules_file = write_file("rules" EVIL FORGED, "User-agent: *\nDisallow: /\xc2\x9b\xe2\x80\xae\n");
  list_file = write_file("list" EVIL FORGED, "http://h/1\nhttp://h/2\nhttp://h/3\nhttp://g/4\n");
  evil_list = write_file("lines" EVIL FORGED, "http://h/\xc2\x9b"
                                              "31m\nhttp://h/\xe2\x80\xae\n" EVIL "\nhttp://\x1b/\n");
  other_dir = trial_path(t, "other" EVIL FORGED);
  out_dir = trial_path(t, "out" EVIL FORGED);
  return 0;
}

static int tear_down(void **state)
{
  char *const strings[] = {evil_file, list_file, page_file, rules_file, evil_list, other_dir, out_dir};
  (void)state;
  process_kill(server);
  trial_close(t);
  text_free(&start_url);
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    free(strings[i]);
  return 0;
}

/* ---- every command ------------------------------------------------------------------------------------------ */

#define CRAWLS "crawl", "--delay", "0", "--allow-private"

typedef struct command {
  bool is_raw; /* into files and pipes its standard output is bytes as they were stored or read: data */
  const char *words[WORDS_MAX];
} command;

static const command commands[] = {
  {false, {CRAWLS, "--dir", "DIR", "--warc", "--tries", "1", "--max-pages", "150", "--digests", "URL"}},
  {false, {"stat", "DIR"}},
  {false, {"stat", "DIR", "--traps"}},
  {false, {"stat", "DIR", "--json", "--traps"}},
  {false, {"export", "DIR"}},
  {false, {"export", "DIR", "--format", "jsonl"}},
  {false, {"seen", "DIR", "URL", EVIL, "http://h/" EVIL FORGED, "http://h/\xc2\x9b\xe2\x80\xae"}},
  {false, {"inlinks", "DIR"}},
  {false, {"like", "DIR", "PAGE", "--min", "0.01"}},
  {false, {"like", "DIR", "FILE"}},
  {false, {"like", "DIR", "http://" EVIL FORGED "/"}},
  {false, {"report", "DIR"}},
  {false, {"report", "DIR", "--out", "-"}},
  {false, {"check", "DIR"}},
  {false, {"check", "FILE"}},
  {false, {"compact", "DIR"}},
  {false, {"merge", "DIR", "-o", "OTHER"}},
  {false, {"forget", "DIR", "http://h/" EVIL FORGED}},
  {false, {"forget", "DIR", "--host", EVIL FORGED}},
  {false, {"forget", "DIR", "--prefix", "http://h/\xc2\x9b\xe2\x80\xae"}},
  {true, {"show", "DIR", "URL", "--headers"}},
  {false, {"show", "DIR", "http://h/" EVIL FORGED}},
  {false, {"show", "FILE", "http://h/"}},
  {false, {"url", "LINES"}},
  {false, {"url", "--fetch", "--split", "LINES"}},
  {false, {"url", "FILE"}},
  {false, {"url", "--base", "http://" EVIL FORGED}},
  {false, {"links", "--base", "http://h/", "--all", "PAGE"}},
  {false, {"links", "FILE"}},
  {false, {"links", "--charset", EVIL FORGED, "PAGE"}},
  {true, {"uniq", "LINES"}},
  {true, {"uniq", "--explain", "LINES"}},
  {false, {"uniq", "FILE"}},
  {false, {"robots", "RULES", "http://h/%C2%9B%E2%80%AE/x"}},
  {false, {"robots", "FILE", "/"}},
  {false, {"digest", "PAGE"}},
  {false, {"digest", "FILE"}},
  {false, {"digest", "--compare", "PAGE", "PAGE"}},
  {false, {"replay", "--out", "OUT", "--n", "2", "--protocol", "stream", "--m", "4096", "LIST"}},
  {false, {"replay", "--out", "OUT", "FILE"}},
  {false, {"replay", "--paper", EVIL FORGED}},
  {false, {"generate-urls", EVIL FORGED}},
  {false, {"generate-urls", "--n", "3", "--seed", "1", "--like", "FILE"}},
  {false, {"plan", "--urls", EVIL FORGED, "--fp", "1e-3"}},
  {false, {"plan", "--urls", "1000", "--fp", EVIL FORGED}},
  {false, {EVIL FORGED}},
  {false, {"help", EVIL FORGED}},
  {false, {CRAWLS, EVIL FORGED}},
  {false, {CRAWLS, "http://" EVIL FORGED "/"}},
  {false, {CRAWLS, "--dir", "OUT", "URL"}},
  {false, {CRAWLS, "--dir", "LIST", "URL"}},
  {false, {CRAWLS, "--seeds", "LINES", "--dir", "OTHER"}},
  {false, {CRAWLS, "--seeds", "FILE"}},
  {false, {CRAWLS, "--include", "(" EVIL FORGED, "URL"}},
  {false, {CRAWLS, "--user-agent", EVIL FORGED, "URL"}},
  {false, {CRAWLS, "--contact", EVIL FORGED, "URL"}},
  {false, {CRAWLS, "--proxy", EVIL FORGED, "URL"}},
  {false, {CRAWLS, "--ca-file", "FILE", "URL"}},
  {false, {CRAWLS, "--cookies", "FILE", "URL"}},
  {false, {CRAWLS, "--max-pages", EVIL FORGED, "URL"}},
  {false, {CRAWLS, "--scope", EVIL FORGED, "URL"}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void show(const char *what, const char *const *words, const text *came, size_t at)
{
  print_error("%s: strata", what);
  for (; *words; words++)
    print_error(" %.12s", word_of(*words));
  print_error(": byte %zu of %zu:", at, came->size);
  for (size_t i = at > 24 ? at - 24 : 0; i < came->size && i < at + 24; i++)
    print_error(came->bytes[i] >= 0x20 && came->bytes[i] < 0x7F ? "%c" : "<%02X>", (unsigned char)came->bytes[i]);
  print_error("\n");
}

/* Unclean bytes, or a line that we did not write. */
static unsigned judge(const char *what, const char *const *words, const text *came, bool is_ascii)
{
  size_t at = first_unclean(came->bytes ? came->bytes : "", came->size, is_ascii);
  const char *forged = came->bytes ? memmem(came->bytes, came->size, "\nstrata: forged", 15) : NULL;
  if (at < came->size)
    show(what, words, came, at);
  if (forged)
    show("a forged line", words, came, (size_t)(forged - came->bytes));
  return (at < came->size) + (forged != NULL);
}

static unsigned run_on_terminal(const command *c, const char *locale)
{
  const char *argv[WORDS_MAX + 2];
  text came = {0};
  make_words(c->words, argv);
  setenv("LC_ALL", locale, 1);
  int code = terminal_run(argv, NULL, &came);
  if (code < 0)
    print_error("strata %s did not end\n", c->words[0]);
  if (strcmp(c->words[0], "crawl") == 0 || strcmp(c->words[0], "replay") == 0)
    terminal_drop_panel(&came);
  unsigned bad = (code < 0) + judge(locale, c->words, &came, strcmp(locale, "C") == 0);
  text_free(&came);
  return bad;
}

static unsigned run_into_files(const command *c)
{
  const char *argv[WORDS_MAX + 2];
  make_words(c->words, argv);
  int code = trial_strata(t, argv + 1);
  if (code < 0)
    print_error("strata %s did not end\n", c->words[0]);
  return (code < 0) + judge("standard error", c->words, &t->err, false) +
         (c->is_raw ? 0 : judge("standard output", c->words, &t->out, false));
}

/* Does it read what the crawl wrote? */
static bool is_of_the_crawl(const command *c)
{
  for (size_t i = 0; c->words[i]; i++)
    if (strcmp(c->words[i], "DIR") == 0)
      return true;
  return false;
}

/* How many of the commands, each run once in each way, wrote what they should not. */
static unsigned run_all(bool of_the_crawl)
{
  unsigned bad = 0;
  for (size_t i = 0; i < COMMANDS; i++)
    if (!of_the_crawl || is_of_the_crawl(&commands[i]))
      bad += (run_on_terminal(&commands[i], "C.UTF-8") + run_on_terminal(&commands[i], "C") +
              run_into_files(&commands[i])) > 0;
  print_message("%u of %u commands wrote what they should not\n", bad, (unsigned)COMMANDS);
  return bad;
}

CASE(every_command_on_a_terminal_and_into_files)
{
  assert_int_equal(run_all(false), 0);
}

static void crawl_once(void)
{
  struct stat info;
  if (stat(t->pages, &info) != 0)
    assert_int_equal(run_into_files(&commands[0]), 0);
}

/* The shell that reads the printed command gets the directory's name, byte for byte. */
CASE(the_printed_command_names_the_directory)
{
  assert_int_equal(run_into_files(&commands[0]), 0);
  const char *said = strstr(t->err.bytes, "  To go on: strata crawl");
  assert_non_null(said);
  text script = {0}, name = {0};
  text_addf(&script, "set -- %s\nprintf %%s \"$2\"", said + strlen("  To go on: strata crawl"));
  char *out = trial_path(t, "name");
  process_end end;
  pid_t pid = process_start((const char *const[]){"/bin/bash", "-c", script.bytes, NULL}, &(process_files){.out = out});
  assert_true(process_wait(pid, &end) && text_add_file(&name, out));
  assert_string_equal(name.bytes, t->crawl);
  text_free(&script);
  text_free(&name);
  free(out);
}

/* What a file gets is what was sent; what a terminal gets can be read, and CR LF is LF there. */
CASE(a_body_is_raw_in_a_file_and_escaped_on_a_terminal)
{
  crawl_once();
  text address = {0}, came = {0};
  text_addf(&address, "%serror", start_url.bytes);
  const char *const argv[] = {STRATA_PROGRAM, "show", t->crawl, address.bytes, "--headers", NULL};
  setenv("LC_ALL", "C.UTF-8", 1);
  assert_int_equal(trial_strata(t, argv + 1), 0);
  assert_non_null(strstr(t->out.bytes, "\r\n\r\n" EVIL ACCENT));
  assert_int_equal(terminal_run(argv, NULL, &came), 0);
  assert_non_null(strstr(came.bytes, "\nContent-Type: \\x1B]0;owned\\x07\\x1B[2J\\x7F\\xC2\\x9B31m"));
  assert_non_null(strstr(came.bytes, "\n\n\\x1B]0;owned\\x07"));
  assert_non_null(strstr(came.bytes, "\\xD8\\x9C\\xE2\\x80\\xA8\\x9B2J\\xFF\\xC3" ACCENT));
  text_clear(&came);
  setenv("LC_ALL", "C", 1);
  assert_int_equal(terminal_run(argv, NULL, &came), 0);
  assert_non_null(strstr(came.bytes, "\\xFF\\xC3\\xC3\\xA9"));
  text_free(&address);
  text_free(&came);
}

/* ---- files -------------------------------------------------------------------------------------------------- */

static void assert_clean_file(const char *path, text *content)
{
  assert_true(text_add_file(content, path));
  size_t at = first_unclean(content->bytes, content->size, false);
  if (at < content->size)
    fail_msg("%s: byte %zu is <%02X>", path, at, (unsigned char)content->bytes[at]);
}

/* Clean bytes, and what jansson reads is what was sent. */
CASE(pages_are_json)
{
  crawl_once();
  text content = {0};
  assert_clean_file(t->pages, &content);
  page_log log = pages_read(t->pages);
  assert_int_equal(log.bad, 0);
  unsigned found = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const char *path = strchr(pages_url(&log, i) + strlen("http://"), '/');
    const json_t *line = json_array_get(log.list, i);
    if (path && strcmp(path, "/type") == 0 && ++found)
      assert_string_equal(json_string_value(json_object_get(line, "type")), TYPE);
  }
  assert_int_equal(found, 1);
  pages_free(&log);
  text_free(&content);
}

static char *crawl_file(const char *name)
{
  text path = {0};
  text_addf(&path, "%s/%s", t->crawl, name);
  return path.bytes;
}

static bool is_printable(const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] <= 0x20 || bytes[i] >= 0x7F)
      return false;
  return size > 0;
}

CASE(warc_and_cdxj_are_well_formed)
{
  crawl_once();
  char *warc = crawl_file("pages-00001.warc.gz"), *index = crawl_file("pages-00001.cdxj");
  warc_content records = warc_content_read(warc);
  assert_true(records.count > 4 * 5);
  assert_int_equal(records.bad, 0);
  for (size_t i = 0; i < records.count; i++) {
    const text *head = &records.items[i].head;
    for (size_t k = 0; k < head->size; k++)
      assert_true(strchr("\r\n", head->bytes[k]) || (head->bytes[k] >= 0x20 && head->bytes[k] < 0x7F));
  }
  text lines = {0};
  assert_clean_file(index, &lines);
  unsigned count = 0;
  for (char *at = lines.bytes, *end; (end = strchr(at, '\n')); at = end + 1, count++) {
    size_t key = strcspn(at, " ");
    assert_true(is_printable(at, key) && strspn(at + key + 1, "0123456789") == 14 && at[key + 15] == ' ');
    json_t *object = json_loadb(at + key + 16, (size_t)(end - at) - key - 16, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(object));
    json_decref(object);
  }
  assert_true(count > 5);
  text_free(&lines);
  warc_content_free(&records);
  free(warc);
  free(index);
}

/* Python reads them as programs of other people would. No text from outside is in them, so no cell is a formula. */
CASE(csv_is_csv)
{
  static const char script[] =
    "import csv, re, sys\n"
    "for path in sys.argv[1:]:\n"
    "  rows = list(csv.reader(open(path, newline='', encoding='utf-8'), strict=True))\n"
    "  assert len(rows) > 1 and {len(r) for r in rows} == {len(rows[0])}, path\n"
    "  assert all(re.fullmatch(r'[A-Za-z0-9 _.,:()-]*', c) and not re.match(r'[=+@]|-[^0-9]', c)\n"
    "             for r in rows for c in r), path\n";
  assert_int_equal(run_into_files(&(command){
                     false, {"replay", "--out", "OUT", "--n", "2", "--protocol", "stream", "--m", "4096", "LIST"}}),
                   0);
  text results = {0};
  text_addf(&results, "%s/results.csv", out_dir);
  if (access("/usr/bin/python3", X_OK) != 0) {
    print_message("skipped: no python3 here\n");
    skip();
  }
  process_end end;
  pid_t pid = process_start((const char *const[]){"/usr/bin/python3", "-c", script, results.bytes, NULL},
                            &(process_files){0});
  assert_true(process_wait(pid, &end));
  assert_int_equal(end.code, 0);
  text_free(&results);
}

/* ---- HTML --------------------------------------------------------------------------------------------------- */

typedef struct seen {
  const char *policy;    /* of the meta element */
  text style, script;    /* what it allows */
  unsigned late, acting; /* styles before the policy; other scripts, handlers, style attributes, what is loaded */
} seen;

static void look_at_attributes(const GumboElement *e, seen *s)
{
  for (unsigned i = 0; i < e->attributes.length; i++) {
    const GumboAttribute *a = e->attributes.data[i];
    bool is_source = strcmp(a->name, "src") == 0 && strncmp(a->value, "data:image/svg+xml;base64,", 26) != 0;
    s->acting += strncmp(a->name, "on", 2) == 0 || strcmp(a->name, "style") == 0 || is_source;
  }
}

static void look_at(const GumboNode *node, seen *s)
{
  if (node->type != GUMBO_NODE_ELEMENT)
    return;
  const GumboElement *e = &node->v.element;
  const GumboAttribute *kind = gumbo_get_attribute(&e->attributes, "http-equiv");
  const GumboAttribute *content = gumbo_get_attribute(&e->attributes, "content");
  if (e->tag == GUMBO_TAG_META && kind && content && strcmp(kind->value, "Content-Security-Policy") == 0)
    s->policy = content->value;
  bool is_script = e->tag == GUMBO_TAG_SCRIPT;
  s->acting += (is_script && (e->attributes.length || s->script.size)) || e->tag == GUMBO_TAG_IFRAME ||
               e->tag == GUMBO_TAG_LINK || e->tag == GUMBO_TAG_FORM || e->tag == GUMBO_TAG_OBJECT ||
               e->tag == GUMBO_TAG_BASE;
  look_at_attributes(e, s);
  if (e->tag == GUMBO_TAG_STYLE) {
    s->late += !s->policy;
    text_add(&s->style, ((const GumboNode *)e->children.data[0])->v.text.text);
  }
  if (is_script)
    text_add(&s->script, ((const GumboNode *)e->children.data[0])->v.text.text);
  for (unsigned i = 0; i < e->children.length; i++)
    look_at(e->children.data[i], s);
}

/* By openssl(1). */
static text hash_of(const text *what)
{
  text hashing = {0}, hash = {0};
  char *path = write_file("hashed", what->bytes), *out = trial_path(t, "hash");
  text_addf(&hashing, "openssl dgst -sha256 -binary '%s' | openssl base64 -A", path);
  process_end end;
  pid_t pid = process_start((const char *const[]){"/bin/sh", "-c", hashing.bytes, NULL}, &(process_files){.out = out});
  assert_true(process_wait(pid, &end) && text_add_file(&hash, out) && hash.size == 44);
  free(path);
  free(out);
  text_free(&hashing);
  return hash;
}

/* The policy names the page's style and script by their hashes, and allows nothing else but `more`. */
static void assert_policy(const seen *s, const char *more)
{
  text policy = {0}, style = hash_of(&s->style), script = s->script.size ? hash_of(&s->script) : (text){0};
  text_addf(&policy, "default-src 'none'; style-src 'sha256-%s';%s", style.bytes, more);
  if (script.size)
    text_addf(&policy, " script-src 'sha256-%s';", script.bytes);
  text_add(&policy, " base-uri 'none'; form-action 'none'");
  assert_non_null(s->policy);
  assert_string_equal(s->policy, policy.bytes);
  text_free(&policy);
  text_free(&style);
  text_free(&script);
}

static void assert_inert(const text *html, const char *more)
{
  seen s = {0};
  assert_int_equal(first_unclean(html->bytes, html->size, true), html->size);
  GumboOutput *parsed = gumbo_parse_with_options(&kGumboDefaultOptions, html->bytes, html->size);
  assert_int_equal(parsed->errors.length, 0);
  look_at(parsed->root, &s);
  assert_int_equal(s.acting, 0);
  assert_int_equal(s.late, 0);
  assert_policy(&s, more);
  gumbo_destroy_output(&kGumboDefaultOptions, parsed);
  text_free(&s.style);
  text_free(&s.script);
}

CASE(reports_run_nothing)
{
  text html = {0}, path = {0};
  crawl_once();
  assert_int_equal(run_into_files(&(command){false, {"report", "DIR", "--out", "-"}}), 0);
  assert_inert(&t->out, "");
  text_addf(&path, "%s/report.html", out_dir);
  assert_int_equal(run_into_files(&(command){
                     false, {"replay", "--out", "OUT", "--n", "2", "--protocol", "stream", "--m", "4096", "LIST"}}),
                   0);
  assert_true(text_add_file(&html, path.bytes));
  assert_inert(&html, " img-src data:;");
  text_free(&html);
  text_free(&path);
}

/* ---- a directory made by somebody else ---------------------------------------------------------------------- */

/* Every MARK in every file of the crawl becomes control bytes. */
static unsigned forge(const char *directory)
{
  static const char forged[sizeof MARK - 1] = {0x1b, '[', '2', 'J', (char)0x9b, '\n'};
  unsigned count = 0;
  DIR *d = opendir(directory);
  for (struct dirent *found; d && (found = readdir(d));) {
    text path = {0}, content = {0};
    text_addf(&path, "%s/%s", directory, found->d_name);
    if (found->d_type == DT_DIR && *found->d_name != '.')
      count += forge(path.bytes);
    else if (found->d_type == DT_REG && text_add_file(&content, path.bytes) && content.size) {
      FILE *file = fopen(path.bytes, "r+");
      for (char *at = content.bytes, *end = at + content.size; (at = memmem(at, (size_t)(end - at), MARK, 6)); count++)
        memcpy(at, forged, sizeof forged);
      assert_true(file && fwrite(content.bytes, 1, content.size, file) == content.size && fclose(file) == 0);
    }
    text_free(&path);
    text_free(&content);
  }
  if (d)
    closedir(d);
  return count;
}

CASE(a_forged_directory)
{
  crawl_once();
  unsigned places = forge(t->crawl);
  print_message("%u places forged\n", places);
  assert_true(places > 20);
  assert_int_equal(run_all(true), 0);
}

EACH_CASE(set_up, tear_down)
// NOLINTEND(misc-misleading-bidirectional)
