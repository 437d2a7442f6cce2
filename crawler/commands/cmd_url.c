/* strata url: reads lines with one URL, or with base and href, and prints the key of each. The whole of frontier/url.h
 * for a shell. */
#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "frontier/url.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines ----------------------------------------------------------------------------------- */

enum { BUFFER_SIZE = 1 << 20 }; /* large blocks, so that parsing is what takes the time */

typedef struct line_reader {
  int file;
  int error; /* errno of a failed read, else 0 */
  bool is_at_end;
  size_t begin, end; /* of what is not yet handed out */
  char bytes[BUFFER_SIZE];
} line_reader;

/* Read once more, after what is left. Answers so far are written first: a program that feeds us line by line
 * may be waiting for them. */
static void fill(line_reader *from)
{
  memmove(from->bytes, from->bytes + from->begin, from->end - from->begin);
  from->end -= from->begin;
  from->begin = 0;
  fflush(stdout);
  ssize_t got;
  do
    got = read(from->file, from->bytes + from->end, sizeof from->bytes - from->end);
  while (got < 0 && errno == EINTR);
  from->error = got < 0 ? errno : 0;
  from->is_at_end = got <= 0;
  from->end += got > 0 ? (size_t)got : 0;
}

static char *find_newline(line_reader *from, size_t skip)
{
  return memchr(from->bytes + from->begin + skip, '\n', from->end - from->begin - skip);
}

static void skip_line(line_reader *from)
{
  char *newline;
  while (!(newline = find_newline(from, 0)) && !from->is_at_end) {
    from->begin = from->end;
    fill(from);
  }
  from->begin = newline ? (size_t)(newline + 1 - from->bytes) : from->end;
}

/* The next line without its newline; false at the end. A line as long as the buffer is handed out cut: as
 * a URL it is too long in either form. */
static bool next_line(line_reader *from, const char **line, size_t *size)
{
  char *newline = find_newline(from, 0);
  for (size_t seen; !newline && !from->is_at_end && (seen = from->end - from->begin) < sizeof from->bytes;) {
    fill(from);
    newline = find_newline(from, seen);
  }
  if (from->begin == from->end)
    return false;
  *line = from->bytes + from->begin;
  *size = newline ? (size_t)(newline - *line) : from->end - from->begin;
  from->begin += *size + (newline != NULL);
  return true;
}

/* ---- work ------------------------------------------------------------------------------------ */

typedef struct job {
  bool is_pairs, is_fetch, is_split;
  url_profile profile;
  const char *base_url; /* --base; NULL: none */
  url_base *base;
  url_status base_status; /* of the base text held below */
  char *base_text;        /* of the last line with one, for --pairs */
  size_t base_size;
  unsigned long long lines, refused[URL_STATUS_COUNT];
  url out;
  line_reader reader;
} job;

/* The base of this line: parsed again only when it changed, as lines of one page come together. */
static url_status set_base(job *work, const char *text, size_t size)
{
  if (work->base_text && size == work->base_size && memcmp(work->base_text, text, size) == 0)
    return work->base_status;
  char *copy = realloc(work->base_text, size + 1);
  if (!copy)
    return URL_NO_MEMORY;
  memcpy(copy, text, size);
  work->base_text = copy;
  work->base_size = size;
  work->base_status = url_base_set(work->base, text, size);
  return work->base_status;
}

static url_status resolve_line(job *work, const char *line, size_t size)
{
  const char *tab = work->is_pairs ? memchr(line, '\t', size) : NULL;
  if (!work->is_pairs)
    return url_resolve(work->base, line, size, work->profile, &work->out);
  if (!tab || tab == line) /* no page: the link stands alone */
    return url_parse(tab ? tab + 1 : line, size - (tab != NULL), work->profile, &work->out);
  size_t base_size = (size_t)(tab - line);
  url_status status = set_base(work, line, base_size);
  if (status != URL_OK)
    return status;
  return url_resolve(work->base, tab + 1, size - base_size - 1, work->profile, &work->out);
}

static void print_segments(const url *out)
{
  for (uint32_t i = 0; i < out->segment_count; i++) {
    if (i > 0)
      putc_unlocked('\t', stdout);
    fwrite_unlocked(out->key + out->segment_begin[i], 1, out->segment_begin[i + 1] - out->segment_begin[i], stdout);
  }
}

static void print_answer(const job *work, url_status status)
{
  const url *out = &work->out;
  if (status != URL_OK) {
    putc_unlocked('!', stdout);
    fputs_unlocked(url_status_name(status), stdout);
  } else {
    if (work->is_fetch)
      fwrite_unlocked(out->fetch, 1, out->fetch_size, stdout);
    if (work->is_fetch && work->is_split)
      putc_unlocked('\t', stdout);
    if (work->is_split)
      print_segments(out);
    if (!work->is_fetch && !work->is_split)
      fwrite_unlocked(out->key, 1, out->key_size, stdout);
  }
  putc_unlocked('\n', stdout);
}

static void convert_lines(job *work)
{
  line_reader *from = &work->reader;
  const char *line;
  size_t size;
  while (next_line(from, &line, &size)) {
    bool is_cut = size == sizeof from->bytes;
    url_status status = is_cut ? URL_TOO_LONG : resolve_line(work, line, size);
    work->lines++;
    work->refused[status]++;
    print_answer(work, status);
    if (is_cut)
      skip_line(from);
  }
}

static int convert_file(job *work, const char *name)
{
  line_reader *from = &work->reader;
  bool is_stdin = strcmp(name, "-") == 0;
  from->file = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
  from->error = from->file < 0 ? errno : 0;
  from->is_at_end = from->file < 0;
  from->begin = from->end = 0;
  convert_lines(work);
  if (!is_stdin && from->file >= 0)
    close(from->file);
  if (from->error)
    say_error("url", "%s: %s", name, strerror(from->error));
  return from->error != 0;
}

static void report_refusals(const job *work)
{
  unsigned long long refused = work->lines - work->refused[URL_OK];
  if (refused == 0)
    return;
  fprintf(stderr, "strata url: %llu of %llu lines refused:", refused, work->lines);
  for (int status = URL_OK + 1; status < URL_STATUS_COUNT; status++)
    if (work->refused[status] > 0)
      fprintf(stderr, " %s %llu", url_status_name((url_status)status), work->refused[status]);
  fputc('\n', stderr);
}

static int convert(job *work, int count, char **names)
{
  int result = 0;
  setvbuf(stdout, NULL, _IOFBF, BUFFER_SIZE);
  if (count == 0)
    result = convert_file(work, "-");
  for (int i = 0; i < count; i++)
    result |= convert_file(work, names[i]);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    say_error("url", "standard output: %s", strerror(errno));
    result = 1;
  }
  report_refusals(work);
  return result;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool apply_base(job *work)
{
  if (work->base_url && work->is_pairs) {
    say_error("url", "--base and --pairs exclude each other: with --pairs each line has its base; "
                     "try strata url --help");
    return false;
  }
  url_status status = work->base_url ? url_base_set(work->base, work->base_url, strlen(work->base_url)) : URL_OK;
  if (status != URL_OK)
    say_error("url", "--base %s: not a page's URL (%s)", work->base_url, url_status_name(status));
  return status == URL_OK;
}

#define FIELD(member) OPTION_FIELD(job, member)

static const option_row option_rows[] = {
  {"base", "URL", OPTION_STRING, FIELD(base_url), .help = "URL of the page on which these links were found"},
  {"pairs", NULL, OPTION_FLAG, FIELD(is_pairs), .help = "each line is the URL of a page, a TAB, and a link from it"},
  {"fetch", NULL, OPTION_FLAG, FIELD(is_fetch), .help = "print what a browser would request instead of the key"},
  {"split", NULL, OPTION_FLAG, FIELD(is_split),
   .help = "print the key's segments (host, parts of the path, parameters), each for one layer of a filter,\n"
           "with TABs between them"},
  {"profile", "RULES", OPTION_PROFILE, FIELD(profile),
   .help = "give more spellings one key than the standards do; RULES, comma-separated, are\n"
           "  no-www  http=https  no-trailing-slash  no-index-page  sort-query\n"
           "  no-session-ids  no-tracking-params  no-duplicate-slashes  path-paper\n"
           "  refuse-userinfo  or strict, the default",
   .manual = "Give more spellings of a URL one key than the standards do, by a comma-separated list of "
             "{Cm no-www , http=https , no-trailing-slash , no-index-page , sort-query , no-session-ids}, "
             "{Cm no-tracking-params , no-duplicate-slashes , path-paper} and {Cm refuse-userinfo}; or {Cm strict}, "
             "the default. Each rule gives different pages of some site one key."},
  {.kind = OPTION_TEXT, .help = "  --help           this text"},
};

const option_table cmd_url_options = {
  .command = "url",
  .column = 19,
  OPTION_ROWS(option_rows),
  .before = "Usage: strata url [OPTION]... [FILE]...\n"
            "Print the canonical key of each URL, one line out for each line in, or !REASON if it is refused.\n"
            "Two spellings of one page get one key. Without FILE, or for -, read standard input.\n",
  .after = "Reasons: scheme, host, too-long, syntax, control, userinfo. Their counts are printed on stderr.\n"
           "\n"
           "Examples\n"
           "  $ echo 'HTTP://Example.COM:80/a/../%7euser?q=a b#top' | strata url\n"
           "  http://example.com/~user?q=a%20b\n"
           "  $ echo 'next.html' | strata url --base https://example.org/docs/index.html\n"
           "  https://example.org/docs/next.html\n"
           "  $ echo 'mailto:me@example.org' | strata url\n"
           "  !scheme\n"
           "  $ echo 'http://example.org/a/b?x=1&y=2' | strata url --split | tr '\\t' '|'\n"
           "  http://example.org|/a|/b|?x=1|&y=2\n"
           "  $ strata url --profile no-www,sort-query links.txt | sort -u | wc -l\n",
  .exits = "0 done, also if lines were refused; 1 a file could not be read or written; 2 wrong usage",
};

int cmd_url(int argc, char **argv)
{
  int result = 1;
  job *work = calloc(1, sizeof *work);
  if (work)
    work->base = url_base_create();
  if (!work || !work->base) {
    say_error("url", "out of memory");
    goto done;
  }
  result = options_read(&cmd_url_options, argc, argv, work);
  if (result == OPTIONS_READ)
    result = apply_base(work) ? convert(work, argc - optind, argv + optind) : EXIT_USAGE;
done:
  if (work) {
    url_base_free(work->base);
    free(work->base_text);
  }
  free(work);
  return result;
}
