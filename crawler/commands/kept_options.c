/* See kept_options.h. A line goes in by the table of the command line, so that there is one list of options, and one
 * check of each. */
#include "crawler/commands/kept_options.h"

#include "crawler/base/message.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/shell_word.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const option_table *const table = &cmd_crawl_options;

static bool is_header(const option_row *row)
{
  return strcmp(row->name, "header") == 0;
}

/* NAME of "NAME" or "NAME: value", in any case. */
static bool is_same_header(const char *name, const char *line)
{
  size_t size = strcspn(name, ":");
  return size == strcspn(line, ":") && strncasecmp(name, line, size) == 0;
}

static bool has_header(const crawl_args *args, const char *name)
{
  for (size_t i = 0; args->headers[i]; i++)
    if (is_same_header(name, args->headers[i]))
      return true;
  return false;
}

/* A proxy may have a password, or none. */
static bool is_secret(const crawl_args *args, const char *value)
{
  for (size_t i = 0; i < args->secret_count; i++)
    if (args->secrets[i].value == value)
      return true;
  return false;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static const option_row *find_row(const char *name)
{
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (row->keeping && strcmp(row->name, name) == 0)
      return row;
  return NULL;
}

/* false: there is no room. */
static bool note_lacking(crawl_args *args, const option_row *row, const char *name)
{
  crawl_kept *kept = &args->kept;
  for (size_t i = 0; i < kept->lacking_count; i++)
    if (kept->lacking[i] == row && (!name || is_same_header(name, kept->lacking_names[i])))
      return true;
  if (kept->lacking_count == sizeof kept->lacking / sizeof *kept->lacking)
    return false;
  kept->lacking[kept->lacking_count] = row;
  kept->lacking_names[kept->lacking_count++] = name;
  return true;
}

/* `value`: NULL if the line has none. */
static bool take_line(crawl_args *args, const option_row *row, char *value)
{
  size_t index = (size_t)(row - table->rows);
  assert(index < table->count && row->keeping);
  const option_use *use = &args->uses[index];
  char no[OPTION_NAME_SIZE];
  const char *header = is_header(row) ? value : NULL;
  bool is_name = row->keeping == KEPT_NAME || (row->value && !value);
  if ((is_header(row) && !value) || (value && !header && (is_name || !row->value)))
    return false;
  if (is_name && !options_revoking(row, no))
    return false;
  if (use->is_revoked || (header ? has_header(args, header) : use->is_given))
    return true;
  if (is_name)
    return note_lacking(args, row, header);
  if (args->kept.values[index] || !options_take(table, row, args, value) || is_secret(args, value))
    return false;
  args->kept.values[index] = value ? value : "";
  return true;
}

static bool read_lines(crawl_args *args, char *text)
{
  for (char *line = text, *end; *line; line = end + 1) {
    end = strchr(line, '\n');
    if (!end)
      return false;
    *end = '\0';
    char *blank = strchr(line, ' ');
    if (blank)
      *blank = '\0';
    const option_row *row = find_row(line);
    if (!row || !take_line(args, row, blank ? blank + 1 : NULL))
      return false;
  }
  return true;
}

/* "--user NAME:PASSWORD", as it is to be given. */
static void print_lacking(FILE *to, const option_row *row, const char *header)
{
  if (header)
    fprintf(to, " --%s '%s: ...'", row->name, header);
  else
    fprintf(to, " --%s %s", row->name, row->value);
}

/* Without it every page would fail, or servers would see who asks. */
static bool is_needed(const option_row *row)
{
  return strcmp(row->name, "proxy") == 0 || strcmp(row->name, "ca-file") == 0;
}

/* An exit code. */
static int say_lacking(const crawl_args *args, const char *directory)
{
  const crawl_kept *kept = &args->kept;
  char *given = NULL, *revoking = NULL, no[OPTION_NAME_SIZE];
  size_t size;
  bool lacks_needed = false;
  FILE *names = open_memstream(&given, &size), *ends = open_memstream(&revoking, &size);
  for (size_t i = 0; names && ends && i < kept->lacking_count; i++) {
    const option_row *row = kept->lacking[i];
    lacks_needed |= is_needed(row);
    print_lacking(names, row, kept->lacking_names[i]);
    if (i == 0 || row != kept->lacking[i - 1])
      fprintf(ends, " --%s", options_revoking(row, no));
  }
  if (names)
    fclose(names);
  if (ends)
    fclose(ends);
  if (kept->lacking_count)
    say_error("crawl",
              "%s was begun with%s, of which only the name is kept: give it again, or go on without it for good:%s",
              directory, given ? given : "", revoking ? revoking : "");
  free(given);
  free(revoking);
  return lacks_needed ? EXIT_USAGE : EXIT_DONE;
}

int kept_options_read(crawl_args *args, const char *directory, const void *text, size_t size)
{
  crawl_kept *kept = &args->kept;
  assert(!kept->text);
  bool is_sound = size <= KEPT_OPTIONS_MAX && !memchr(text, '\0', size);
  kept->text = is_sound ? strndup(text, size) : NULL;
  if (is_sound && !kept->text) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  if (!is_sound || !read_lines(args, kept->text)) {
    say_error("crawl", "%s: the options it was begun with cannot be read: a later version's, or damaged", directory);
    return EXIT_FAILED;
  }
  int code = crawl_args_settle(args);
  return code == EXIT_DONE ? say_lacking(args, directory) : code;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static void write_names(FILE *to, const crawl_args *args, const option_row *row)
{
  const crawl_kept *kept = &args->kept;
  for (size_t i = 0; is_header(row) && args->headers[i]; i++)
    fprintf(to, "%s %.*s\n", row->name, (int)strcspn(args->headers[i], ":"), args->headers[i]);
  for (size_t i = 0; i < kept->lacking_count; i++)
    if (kept->lacking[i] == row)
      fprintf(to, "%s%s%s\n", row->name, kept->lacking_names[i] ? " " : "",
              kept->lacking_names[i] ? kept->lacking_names[i] : "");
}

static void write_row(FILE *to, const crawl_args *args, const option_row *row)
{
  const option_use *use = &args->uses[row - table->rows];
  const char *value = use->is_given ? use->value : args->kept.values[row - table->rows];
  bool is_name = row->keeping == KEPT_NAME || (value && is_secret(args, value));
  assert(is_name || !value || !strchr(value, '\n'));
  if (is_header(row) || (!use->is_given && !value))
    write_names(to, args, row);
  else if (is_name || !row->value)
    fprintf(to, "%s\n", row->name);
  else
    fprintf(to, "%s %s\n", row->name, value);
}

char *kept_options_write(const crawl_args *args, size_t *size)
{
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  if (!to)
    return NULL;
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (row->keeping)
      write_row(to, args, row);
  if (fclose(to) == 0)
    return text;
  free(text);
  return NULL;
}

void kept_options_say(const crawl_args *args)
{
  bool is_first = true;
  for (size_t i = 0; i < table->count; i++) {
    const char *value = args->kept.values[i];
    if (!value)
      continue;
    fprintf(stderr, "%s --%s", is_first ? "As it was begun:" : "", table->rows[i].name);
    if (table->rows[i].value)
      shell_word_print(value);
    is_first = false;
  }
  if (!is_first)
    putc('\n', stderr);
}
