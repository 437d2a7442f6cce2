/* strata like: which stored pages resemble this one. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/html/decoder.h"
#include "crawler/html/links.h"
#include "crawler/html/page_text.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "crawler/commands/values.h"
#include "frontier/url.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are looked into, some 130 pages each, and one more for each page asked for: milliseconds. Without a limit
 * all pages of a site are looked at for what they begin with, which all have alike (bench/bench_like). */
enum { ROWS_MOST = 32 };

typedef struct orders {
  const char *directory, *asked;
  uint64_t top;
  double least;
} orders;

/* ---- what a file says ------------------------------------------------------------------------------------ */

typedef struct reading {
  page_text *text;
  links_scanner *scanner;
  decoder *decoder;
  bool is_html, has_begun;
} reading;

static void ignore_link(void *context, const link_found *link)
{
  (void)context, (void)link;
}

static void take_text(void *context, const char *bytes, size_t size)
{
  page_text_feed_html(context, bytes, size);
}

static void take_decoded(void *context, const char *bytes, size_t size)
{
  reading *r = context;
  if (r->is_html)
    links_feed(r->scanner, bytes, size);
  else
    page_text_feed_plain(r->text, bytes, size);
}

static const charset *declared_charset(void *context)
{
  const reading *r = context;
  return r->is_html ? links_page_charset(r->scanner) : NULL;
}

static void read_again(void *context)
{
  const reading *r = context;
  links_finish(r->scanner);
  page_text_begin(r->text);
}

static bool begin_reading(reading *r)
{
  r->text = page_text_create();
  r->scanner = links_create(ignore_link, NULL);
  r->decoder = decoder_create(take_decoded, r);
  if (!r->text || !r->scanner || !r->decoder)
    return false;
  links_want_text(r->scanner, take_text, r->text);
  decoder_listen(r->decoder, declared_charset, read_again);
  decoder_begin(r->decoder, NULL);
  return true;
}

static void end_reading(reading *r)
{
  page_text_free(r->text);
  links_free(r->scanner);
  decoder_free(r->decoder);
}

static bool looks_like_html(const char *bytes, size_t size)
{
  size_t at = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (at < size && strchr(" \t\r\n\f", bytes[at]))
    at++;
  return at < size && bytes[at] == '<';
}

static bool read_pieces(reading *r, FILE *file)
{
  static char piece[1 << 16];
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;) {
    r->is_html = r->has_begun ? r->is_html : looks_like_html(piece, size);
    r->has_begun = true;
    decoder_feed(r->decoder, piece, size);
  }
  if (ferror(file)) /* errno is of the reading */
    return false;
  decoder_finish(r->decoder);
  return true;
}

/* A copy, to be freed. false after one sentence on stderr. */
static bool copy_shingles(const char *name, mlbf_shingles from, mlbf_shingles *to)
{
  if (from.count == 0) {
    say_error("like", "%s: no text to compare", name);
    return false;
  }
  to->at = malloc(from.count * sizeof *to->at);
  if (!to->at) {
    say_error("like", "out of memory");
    return false;
  }
  memcpy(to->at, from.at, from.count * sizeof *to->at);
  to->count = to->room = from.count;
  return true;
}

static bool read_file(const char *name, mlbf_shingles *shingles)
{
  reading r = {0};
  bool is_done = false, is_stdin = strcmp(name, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(name, "re");
  if (file && !begin_reading(&r))
    say_error("like", "out of memory");
  else if (!file || !read_pieces(&r, file))
    say_error("like", "%s: %s", name, strerror(errno));
  else
    is_done = copy_shingles(is_stdin ? "standard input" : name, page_text_finish(r.text), shingles);
  end_reading(&r);
  if (file && !is_stdin)
    fclose(file);
  return is_done;
}

/* ---- what a page of the crawl said ----------------------------------------------------------------------- */

static bool is_url(const char *text)
{
  return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* `u` gets what the page is called in the corpus: its fetch URL. */
static bool find_page(mlbf_corpus *c, const orders *o, url *u, mlbf_shingles *shingles)
{
  url_status status = url_parse(o->asked, strlen(o->asked), URL_STRICT, u);
  if (status != URL_OK) {
    say_error("like", "%s: no URL that a crawl fetches (%s)", o->asked, url_status_name(status));
    return false;
  }
  if (mlbf_corpus_find(c, (mlbf_span){u->fetch, u->fetch_size}, shingles) != MLBF_OK) {
    say_error("like", "%s", mlbf_corpus_message(c));
    return false;
  }
  if (shingles->count == 0)
    say_error("like", "%s: %s has no such page, or it said nothing", o->asked, o->directory);
  return shingles->count > 0;
}

/* ---- answers --------------------------------------------------------------------------------------------- */

/* `own`: a page that is asked about itself is left out; "" for none. */
static bool print_matches(mlbf_corpus *c, const orders *o, const mlbf_shingles *shingles, const char *own)
{
  size_t count = (size_t)o->top + (*own != '\0'), shown = 0;
  mlbf_corpus_match *matches = calloc(count, sizeof *matches);
  if (!matches) {
    say_error("like", "out of memory");
    return false;
  }
  const mlbf_corpus_question question = {.least = o->least, .rows_most = ROWS_MOST + o->top};
  bool is_done = mlbf_corpus_query(c, shingles, &question, matches, &count) == MLBF_OK;
  if (!is_done)
    say_error("like", "%s", mlbf_corpus_message(c));
  for (size_t i = 0; is_done && i < count && shown < o->top; i++)
    if (strcmp(matches[i].name, own) != 0) {
      printf("%.3f\t", matches[i].share);
      shown_puts(matches[i].name);
      shown++;
    }
  if (is_done && !shown)
    fprintf(stderr, "No page has %.0f %% of it or more.\n", 100 * o->least);
  if (is_done)
    mlbf_corpus_matches_free(matches, count);
  free(matches);
  return is_done;
}

static mlbf_corpus *open_corpus(const char *directory)
{
  char path[CRAWL_PATH_SIZE], message[MLBF_CORPUS_MESSAGE_SIZE];
  mlbf_corpus *c = NULL;
  crawl_dir_file(directory, "contents", path);
  if (!crawl_dir_find("like", directory))
    return NULL;
  mlbf_status status = mlbf_corpus_open(path, true, &c, message);
  if (status == MLBF_IO && errno == ENOENT)
    say_error("like", "%s: what its pages say was not kept; crawl without --no-similar", directory);
  else if (status != MLBF_OK)
    say_error("like", "%s", message);
  return c;
}

static int answer(const orders *o)
{
  static url u;
  mlbf_shingles shingles = {0};
  mlbf_corpus *c = open_corpus(o->directory);
  bool of_page = is_url(o->asked);
  bool is_done = c && (of_page ? find_page(c, o, &u, &shingles) : read_file(o->asked, &shingles)) &&
                 print_matches(c, o, &shingles, of_page ? u.fetch : "");
  mlbf_shingles_free(&shingles);
  mlbf_corpus_close(c);
  return is_done && fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}

static bool take_share(void *args, const option_row *row, char *value)
{
  orders *o = args;
  char *end;
  double share = strtod(value, &end);
  if (end == value || *end || !(share > 0 && share <= 1))
    return value_refuse("like", row->name, value, "a share above 0, up to 1, please");
  o->least = share;
  return true;
}

#define FIELD(member) OPTION_FIELD(orders, member)

static const option_row option_rows[] = {
  {"top", "N", OPTION_COUNT, FIELD(top), .low = 1, .high = 9999, .help = "how many pages (default 10)"},
  {"min", "SHARE", OPTION_CALL, .take = take_share, .help = "leave out pages with a smaller share (default 0.1)"},
};

/* clang-format off */
const option_table cmd_like_options = {
  .command = "like", .column = 15, OPTION_ROWS(option_rows),
  .least_words = 2, .most_words = 2, .wanted = "a crawl's directory and a file or URL, please: strata like DIR FILE",
  .before =
  "Usage: strata like DIR FILE|URL [--top N] [--min SHARE]\n"
  "Print the pages of the crawl in DIR that are similar to a local FILE, or to the crawl's own page at URL: the share\n"
  "of the text they have in common, from 0 to 1, TAB, the page's URL; best first. Works during a crawl. Each page is\n"
  "represented by a sample (two ninths) of its four-word sequences, so a small edit lowers the share by more than its\n"
  "size. If many pages match only by the text that begins each page of their site, not all of them are listed.\n"
  "\n"
  "  strata like strata-example.org draft.html\n"
  "  strata like strata-example.org https://example.org/about --top 3\n"
  "  pdftotext paper.pdf - | strata like strata-example.org -\n",
  .after =
  "FILE: HTML if it begins with <, else plain text; - is standard input. A word that begins with http:// or https://\n"
  "is a URL. Only pages fetched without --no-similar are found.\n",
};
/* clang-format on */

int cmd_like(int argc, char **argv)
{
  orders o = {.top = 10, .least = 0.1};
  int code = options_read(&cmd_like_options, argc, argv, &o);
  if (code != OPTIONS_READ)
    return code;
  o.directory = argv[optind];
  o.asked = argv[optind + 1];
  return answer(&o);
}
