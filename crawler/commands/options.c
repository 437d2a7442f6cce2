/* See options.h. getopt_long finds the options; a row says how its value is checked and stored. */
#include "crawler/commands/options.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/commands/did_you_mean.h"
#include "crawler/commands/values.h"
#include "frontier/url.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 128, FIRST_ROW = 256, HELP = FIRST_ROW + ROWS_MAX, FIRST_REVOKED };

/* For getopt_long: a long option is the number of its row, a short one its letter, and --no-NAME a number, too. */
typedef struct described {
  struct option longs[2 * ROWS_MAX + 2];
  char revoking[ROWS_MAX][OPTION_NAME_SIZE];
  char letters[2 * ROWS_MAX + 4];
} described;

/* ---- values --------------------------------------------------------------------------------------------- */

static bool store(const option_row *row, void *args, uint64_t value)
{
  const uint8_t one = (uint8_t)value;
  const uint16_t two = (uint16_t)value;
  const uint32_t four = (uint32_t)value;
  const void *const sized[] = {[1] = &one, [2] = &two, [4] = &four, [8] = &value};
  memcpy((char *)args + row->offset, sized[row->size], row->size);
  return true;
}

static bool store_text(const option_row *row, void *args, const char *value)
{
  memcpy((char *)args + row->offset, &value, sizeof value);
  return true;
}

static bool take_number(const option_table *table, const option_row *row, void *args, const char *value)
{
  uint64_t number;
  bool has_units = row->kind == OPTION_BYTES;
  assert(row->size == sizeof number || row->high >> 8 * row->size == 0);
  bool is_good = table->refuse_number
                   ? value_number_read(value, row->low, row->high, has_units, &number)
                   : value_number(table->command, row->name, value, row->low, row->high, has_units, &number);
  if (!is_good && table->refuse_number)
    table->refuse_number(row, value);
  return is_good && store(row, args, number);
}

static bool take_seconds(const option_table *table, const option_row *row, void *args, const char *value)
{
  uint64_t ms;
  return value_milliseconds(table->command, row->name, value, (double)row->low / 1000, &ms) && store(row, args, ms);
}

static bool take_rate(const option_table *table, const option_row *row, void *args, const char *value)
{
  double rate;
  if (!value_rate(table->command, row->name, value, &rate))
    return false;
  memcpy((char *)args + row->offset, &rate, sizeof rate);
  return true;
}

static bool take_file(const option_table *table, const option_row *row, void *args, const char *value)
{
  if (access(value, R_OK) == 0)
    return store_text(row, args, value);
  say_error(table->command, "--%s %s: %s", row->name, value, strerror(errno));
  return false;
}

/* "host, prefix or any, please" */
static bool refuse_choice(const option_table *table, const option_row *row, const char *choices, const char *value)
{
  char wanted[128] = "";
  size_t used = 0;
  for (const char *at = choices; *at && used < sizeof wanted; at++) {
    const char *between = *at != '|' ? NULL : strchr(at + 1, '|') ? ", " : " or ";
    used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%.*s", between ? 4 : 1, between ? between : at);
  }
  say_error(table->command, "--%s \"%s\": %s, please", row->name, value, wanted);
  return false;
}

static bool take_choice(const option_table *table, const option_row *row, void *args, const char *value)
{
  const char *choices = row->choices ? row->choices : row->value;
  size_t size = strlen(value);
  uint64_t index = 0;
  for (const char *at = choices; *at; at += *at == '|', index++) {
    size_t length = strcspn(at, "|");
    if (length == size && memcmp(at, value, size) == 0)
      return store(row, args, index);
    at += length;
  }
  return refuse_choice(table, row, choices, value);
}

static bool take_profile(const option_table *table, const option_row *row, void *args, const char *value)
{
  url_profile profile;
  if (!url_profile_parse(value, &profile))
    return value_refuse(table->command, row->name, value, "no such rules; \"strata url --help\" lists them");
  memcpy((char *)args + row->offset, &profile, sizeof profile);
  return true;
}

static bool take_list(const option_row *row, void *args, char *value)
{
  char *rest;
  for (char *part = strtok_r(value, ",", &rest); part; part = strtok_r(NULL, ",", &rest))
    if (!row->take(args, row, part))
      return false;
  return true;
}

bool options_take(const option_table *table, const option_row *row, void *args, char *value)
{
  if (row->given)
    *((bool *)args + row->given) = true;
  switch (row->kind) {
  case OPTION_TEXT: break;
  case OPTION_FLAG: return store(row, args, row->low ? row->low : true);
  case OPTION_COUNT:
  case OPTION_BYTES: return take_number(table, row, args, value);
  case OPTION_SECONDS: return take_seconds(table, row, args, value);
  case OPTION_RATE: return take_rate(table, row, args, value);
  case OPTION_STRING: return store_text(row, args, value);
  case OPTION_FILE: return take_file(table, row, args, value);
  case OPTION_CHOICE: return take_choice(table, row, args, value);
  case OPTION_PROFILE: return take_profile(table, row, args, value);
  case OPTION_CALL: return row->take(args, row, value);
  case OPTION_LIST: return take_list(row, args, value);
  }
  return false;
}

/* ---- --help --------------------------------------------------------------------------------------------- */

static int print_name(const option_row *row)
{
  const char *blank = row->value ? " " : "", *value = row->value ? row->value : "";
  int width = printf("  --%s%s%s", row->name, blank, value);
  return row->letter ? width + printf(", -%c%s%s", row->letter, blank, value) : width;
}

static void print_row(const option_row *row, int column)
{
  int at = print_name(row);
  for (const char *line = row->help; *line; at = 0) {
    size_t size = strcspn(line, "\n");
    printf("%*s%.*s\n", at + 2 <= column ? column - at : 2, "", (int)size, line);
    line += size + (line[size] == '\n');
  }
}

static bool has_first(const option_table *table)
{
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i].is_first)
      return true;
  return false;
}

/* Without headings, if it is short. */
static void print_rows(const option_table *table, bool is_short)
{
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (is_short && !row->is_first)
      continue;
    else if (row->kind == OPTION_TEXT)
      printf("%s\n", row->help);
    else
      print_row(row, table->column);
}

/* Names of those that a directory keeps so, in lines. */
static void print_kept(const option_table *table, option_keeping keeping, const char *title)
{
  enum { WIDTH = 100 };
  int at = WIDTH;
  for (const option_row *row = table->rows; row < table->rows + table->count; row++) {
    if (row->keeping != keeping)
      continue;
    if (at == WIDTH)
      printf("\n%s", title);
    at += (int)strlen(row->name) + 3;
    if (at >= WIDTH)
      at = printf("\n   ");
    printf(" --%s", row->name);
  }
  if (at != WIDTH)
    putchar('\n');
}

static void print_help(const option_table *table, bool is_all)
{
  bool is_short = !is_all && has_first(table);
  printf("%s%s", table->before, table->count ? "\n" : "");
  print_rows(table, is_short);
  if (is_short)
    printf("\n\"strata help %s --all\" lists all options, and \"man strata\" explains them.\n", table->command);
  if (is_all) {
    print_kept(table, KEPT_VALUE,
               "Kept in DIR, so that the crawl goes on as it was begun; one given anew is kept from then on, and\n"
               "--no-NAME (of --no-similar: --similar) takes back one that is no number and no choice:");
    print_kept(table, KEPT_NAME, "Of these the name alone is kept, and the crawl that goes on without one says so:");
  }
  if (table->after)
    printf("\n%s", table->after);
  printf("\nExit: %s.\n", table->exits ? table->exits : "0 done, 1 failed, 2 usage");
}

static bool has_word(int argc, char **argv, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], word) == 0)
      return true;
  return false;
}

/* --all is no option but beside --help, before it or behind. */
static int give_help(const option_table *table, bool is_all)
{
  print_help(table, is_all);
  return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

const option_row *options_find(const option_table *table, const char *name, size_t size)
{
  const option_row *found = NULL;
  size_t count = 0;
  for (const option_row *row = table->rows; row < table->rows + table->count; row++) {
    if (!row->name || strncmp(row->name, name, size) != 0)
      continue;
    if (!row->name[size])
      return row;
    found = row;
    count++;
  }
  return count == 1 ? found : NULL;
}

/* ---- the command line ----------------------------------------------------------------------------------- */

const char *options_revoking(const option_row *row, char name[OPTION_NAME_SIZE])
{
  static const char no[] = "no-";
  if (!row->keeping || (row->kind != OPTION_FLAG && row->kind != OPTION_CALL && row->kind != OPTION_FILE))
    return NULL;
  bool is_negative = strncmp(row->name, no, strlen(no)) == 0;
  snprintf(name, OPTION_NAME_SIZE, "%s%s", is_negative ? "" : no, row->name + (is_negative ? strlen(no) : 0));
  return name;
}

static void describe(const option_table *table, described *d)
{
  struct option *longs = d->longs;
  char *letters = d->letters;
  *letters++ = ':'; /* that a value is missing is told apart */
  for (size_t i = 0; i < table->count; i++) {
    const option_row *row = &table->rows[i];
    if (row->kind == OPTION_TEXT)
      continue;
    *longs++ = (struct option){row->name, row->value ? required_argument : no_argument, NULL, FIRST_ROW + (int)i};
    const char *revoking = options_revoking(row, d->revoking[i]);
    if (revoking)
      *longs++ = (struct option){revoking, no_argument, NULL, FIRST_REVOKED + (int)i};
    assert(row->letter != 'h'); /* help, for all */
    if (row->letter)
      *letters++ = row->letter;
    if (row->letter && row->value)
      *letters++ = ':';
  }
  *longs++ = (struct option){"help", no_argument, NULL, HELP};
  *longs = (struct option){0};
  memcpy(letters, "h", 2);
}

static const option_row *row_of(const option_table *table, int option)
{
  if (option >= FIRST_ROW)
    return &table->rows[option - FIRST_ROW];
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i].letter == option)
      return &table->rows[i];
  return NULL;
}

/* The long options that begin so, if there are several. false: there are not. */
static bool refuse_ambiguous(const option_table *table, const char *word, const char *name, size_t size)
{
  char names[512] = "";
  size_t used = 0, count = 0;
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (row->name && strncmp(row->name, name, size) == 0) {
      count++;
      if (used < sizeof names)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s", used ? ", " : "", row->name);
    }
  if (count > 1)
    say_error(table->command, "%.100s may be %s; which one, please?", word, names);
  return count > 1;
}

static void refuse_unknown(const option_table *table, const char *word, const char *name, size_t size)
{
  did_you_mean near = {.word = name, .size = size};
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (row->name)
      did_you_mean_offer(&near, row->name);
  did_you_mean_offer(&near, "help");
  if (near.best)
    say_error(table->command, "no such option: %.100s; did you mean --%s? \"strata help %s\" lists the options", word,
              near.best, table->command);
  else
    say_error(table->command, "no such option: %.100s; \"strata help %s\" lists the options", word, table->command);
}

/* `problem` as getopt_long returns it; a word of one dash may have several letters, of which optopt is the one. */
static int refuse_word(const option_table *table, int problem, const char *typed)
{
  char letter[] = {'-', (char)optopt, '\0'};
  bool is_long = strncmp(typed, "--", 2) == 0;
  const char *word = is_long || problem == ':' ? typed : letter, *name = word + (is_long ? 2 : 1);
  size_t size = strcspn(name, "=");
  const option_row *row = is_long ? options_find(table, name, size) : NULL;
  if (problem == ':')
    say_error(table->command, "%.100s needs a value; \"strata help %s\" says which", word, table->command);
  else if (row)
    say_error(table->command, "--%s takes no value, so leave \"%.100s\" out", row->name, name + size);
  else if (!is_long || !refuse_ambiguous(table, word, name, size))
    refuse_unknown(table, word, name, is_long ? size : 0);
  return EXIT_USAGE;
}

/* An option as it was found. false after one sentence. */
static bool take_found(const option_table *table, int option, void *args, char *value)
{
  bool is_revoked = option >= FIRST_REVOKED;
  const option_row *row = row_of(table, is_revoked ? option - FIRST_REVOKED + FIRST_ROW : option);
  option_use *use = table->uses ? (option_use *)((char *)args + table->uses) + (row - table->rows) : NULL;
  if (use) {
    use->value = value;
    use->is_given |= !is_revoked;
    use->is_revoked |= is_revoked;
  }
  char no[OPTION_NAME_SIZE];
  if (use && use->is_given && use->is_revoked && row->keeping == KEPT_VALUE) {
    say_error(table->command, "--%s and --%s: one of them, please", row->name, options_revoking(row, no));
    return false;
  }
  return is_revoked || options_take(table, row, args, value);
}

int options_read(const option_table *table, int argc, char **argv, void *args)
{
  described d;
  assert(table->count <= ROWS_MAX);
  if (has_word(argc, argv, "--all") && (has_word(argc, argv, "--help") || has_word(argc, argv, "-h")))
    return give_help(table, true);
  describe(table, &d);
  optind = 0; /* glibc: begin anew */
  opterr = 0; /* the sentences are ours */
  for (int option; (option = getopt_long(argc, argv, d.letters, d.longs, NULL)) != -1;) {
    if (option == HELP || option == 'h')
      return give_help(table, false);
    if (option == '?' || option == ':')
      return refuse_word(table, option, argv[optind - 1]);
    if (!take_found(table, option, args, optarg))
      return EXIT_USAGE;
  }
  size_t words = (size_t)(argc - optind);
  if (!table->wanted || (words >= table->least_words && (words <= table->most_words || !table->most_words)))
    return OPTIONS_READ;
  say_error(table->command, "%s", table->wanted);
  return EXIT_USAGE;
}
