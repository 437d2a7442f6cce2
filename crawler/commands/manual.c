/* Build tool for the manual: strata_manual TEXT PAGE copies TEXT to PAGE and replaces each line
 *
 *     @OPTIONS COMMAND@
 *
 * by the list of that command's options, from the table that --help and the parser use, and each line
 *
 *     @KEPT COMMAND@ or @NAMED COMMAND@
 *
 * by the names of those that a directory keeps, or keeps the name of. Sentences of the table have
 * mdoc macros in braces, as in "Stop after {Ar N} pages."; mdoc wants a line for each macro and each sentence. */
#include "crawler/commands/cmd.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The value of an option: "Ar N", or "Cm one | other" for a choice; NULL: it takes none. */
static void print_value(const char *value)
{
  if (value)
    fputs(strchr(value, '|') ? " Cm " : " Ar ", stdout);
  for (; value && *value; value++)
    if (*value == '|')
      fputs(" | ", stdout);
    else
      putchar(*value);
}

/* A macro's line: what is between the braces, and what punctuation follows at once. The first byte after both. */
static const char *print_macro(const char *at, bool is_line_begun)
{
  const char *end = at + strcspn(at, "}");
  printf("%s.%.*s", is_line_begun ? "\n" : "", (int)(end - at - 1), at + 1);
  for (at = end + 1; *at && *at != ' '; at++)
    printf(" %c", *at);
  putchar('\n');
  return at + (*at == ' ');
}

static void print_sentences(const char *text)
{
  bool is_line_begun = false;
  while (*text)
    if (*text == '{') {
      text = print_macro(text, is_line_begun);
      is_line_begun = false;
    } else if (*text == ' ' && (text[1] == '{' || text[-1] == '.')) {
      putchar('\n');
      is_line_begun = false;
      text++;
    } else {
      putchar(*text++);
      is_line_begun = true;
    }
  if (is_line_begun)
    putchar('\n');
}

/* For an option without sentences: --help's words, as one. */
static void print_help_text(const char *help)
{
  putchar(*help >= 'a' && *help <= 'z' ? *help - 'a' + 'A' : *help);
  for (help++; *help; help++)
    putchar(*help == '\n' ? ' ' : *help);
  puts(help[-1] == '.' ? "" : ".");
}

static void print_options(const option_table *table)
{
  puts(".Bl -tag -width Ds");
  for (const option_row *row = table->rows; row < table->rows + table->count; row++) {
    if (row->kind == OPTION_TEXT)
      continue;
    printf(".It Fl -%s", row->name);
    print_value(row->value);
    if (row->letter) {
      printf(" , Fl %c", row->letter);
      print_value(row->value);
    }
    putchar('\n');
    if (row->manual)
      print_sentences(row->manual);
    else
      print_help_text(row->help);
  }
  puts(".El");
}

static void print_kept(const option_table *table, option_keeping keeping)
{
  const option_row *last = NULL;
  for (const option_row *row = table->rows; row < table->rows + table->count; row++) {
    if (row->keeping != keeping)
      continue;
    if (last)
      printf(".Fl -%s ,\n", last->name);
    last = row;
  }
  if (last)
    printf(".Fl -%s .\n", last->name);
}

static const option_table *table_of(const char *line, char what[8])
{
  char name[32];
  if (sscanf(line, "@%7[A-Z] %31[a-z-]@", what, name) == 2)
    for (const cmd_entry *c = cmd_entries; c->run; c++)
      if (strcmp(name, c->options->command) == 0)
        return c->options;
  return NULL;
}

int main(int argc, char **argv)
{
  char line[512], what[8];
  if (argc != 3 || !freopen(argv[1], "r", stdin) || !freopen(argv[2], "w", stdout)) {
    perror("manual TEXT PAGE");
    return EXIT_FAILED;
  }
  while (fgets(line, sizeof line, stdin)) {
    const option_table *table = table_of(line, what);
    if (table && strcmp(what, "OPTIONS") == 0) {
      print_options(table);
    } else if (table) {
      print_kept(table, strcmp(what, "KEPT") == 0 ? KEPT_VALUE : KEPT_NAME);
    } else if (*line == '@') {
      fprintf(stderr, "manual: no such command: %s", line);
      return EXIT_FAILED;
    } else {
      fputs(line, stdout);
    }
  }
  return fflush(stdout) == 0 && !ferror(stdin) ? EXIT_DONE : EXIT_FAILED;
}
