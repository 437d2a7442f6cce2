/* crawler/commands/options.c: a table of every kind of option, its command lines, its --help. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/options.h"
#include "frontier/url.h"
#include "tests/support/test.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum { RED, GREEN, BLUE } colour;

typedef struct {
  bool is_loud, has_count;
  uint16_t few;
  unsigned some;
  uint64_t count, bytes, ms;
  double rate;
  const char *text, *file;
  colour colour, other;
  url_profile profile;
  char parts[64];
} values;

static bool add_part(void *args, const option_row *row, char *value)
{
  values *v = args;
  if (strcmp(value, row->name) == 0)
    return false;
  strcat(strcat(v->parts, value), ";");
  return true;
}

#define FIELD(member) OPTION_FIELD(values, member)

static const option_row rows[] = {
  {.kind = OPTION_TEXT, .help = "What"},
  {"loud", NULL, OPTION_FLAG, FIELD(is_loud), .letter = 'l', .help = "shout"},
  {"blue", NULL, OPTION_FLAG, FIELD(other), .low = BLUE, .help = "in blue"},
  {"few", "N", OPTION_COUNT, FIELD(few), .low = 0, .high = UINT16_MAX, .help = "not many"},
  {"some", "N", OPTION_COUNT, FIELD(some), .low = 1, .high = UINT32_MAX, .help = "more"},
  {"count", "N", OPTION_COUNT, FIELD(count), .given = offsetof(values, has_count), .low = 3, .high = UINT64_MAX,
   .help = "from three on"},
  {.kind = OPTION_TEXT, .help = "\nHow"},
  {"bytes", "BYTES", OPTION_BYTES, FIELD(bytes), .low = 1, .high = 1 << 30, .help = "so\nmany"},
  {"after", "S", OPTION_SECONDS, FIELD(ms), .low = 1, .help = "seconds"},
  {"rate", "P", OPTION_RATE, FIELD(rate), .help = "of errors"},
  {"text", "TEXT", OPTION_STRING, FIELD(text), .letter = 't', .help = "words"},
  {"file", "FILE", OPTION_FILE, FIELD(file), .help = "which is there"},
  {"colour", "red|green|blue", OPTION_CHOICE, FIELD(colour), .help = "one of them,\nnot two"},
  {"other", "C", OPTION_CHOICE, FIELD(other), .choices = "red|green", .help = "of two"},
  {"profile", "RULES", OPTION_PROFILE, FIELD(profile), .help = "of URLs"},
  {"parts", "P,...", OPTION_LIST, .take = add_part, .help = "each"},
  {"whole", "P", OPTION_CALL, .take = add_part, .help = "at once"},
};

static option_table table = {.command = "try",
                             .before = "Usage: strata try\n",
                             .column = 12,
                             OPTION_ROWS(rows),
                             .least_words = 1,
                             .most_words = 2,
                             .wanted = "one word or two"};

static values v;
static char err[1024], out[1024];
static char program[] = "strata try";
static char *argv[32] = {program};

static void begin(int fd, int *saved, FILE **to)
{
  fflush(NULL);
  *saved = dup(fd);
  *to = tmpfile();
  dup2(fileno(*to), fd);
}

static void end(int fd, int saved, FILE *from, char *text, size_t room)
{
  fflush(NULL);
  dup2(saved, fd);
  close(saved);
  rewind(from);
  text[fread(text, 1, room - 1, from)] = '\0';
  fclose(from);
}

/* The words of a line, read by the table. */
static int read_line(const char *line)
{
  static char words[256];
  int argc = 1, saved_err, saved_out;
  FILE *to_err, *to_out;
  snprintf(words, sizeof words, "%s", line);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  argv[argc] = NULL;
  v = (values){.text = "none", .rate = 1};
  begin(STDERR_FILENO, &saved_err, &to_err);
  begin(STDOUT_FILENO, &saved_out, &to_out);
  int code = options_read(&table, argc, argv, &v);
  end(STDOUT_FILENO, saved_out, to_out, out, sizeof out);
  end(STDERR_FILENO, saved_err, to_err, err, sizeof err);
  return code;
}

static void good(const char *line)
{
  if (read_line(line) != OPTIONS_READ || *err || *out)
    fail_msg("\"%s\" is refused: %s", line, err);
}

CASE(each_kind_reaches_its_field)
{
  good("a --loud --blue --few 65535 --some 4294967295 --count 18446744073709551615 b");
  assert_true(v.is_loud && v.has_count);
  assert_int_equal(v.other, BLUE);
  assert_int_equal(v.few, 65535);
  assert_int_equal(v.some, 4294967295);
  assert_true(v.count == UINT64_MAX);
  assert_string_equal(v.text, "none");
  good("--bytes 2k --after 0.25 --rate 1e-3 --text=x --file /dev/null --colour blue --other green --profile no-www a");
  assert_int_equal(v.bytes, 2048);
  assert_int_equal(v.ms, 250);
  assert_true(v.rate == 1e-3);
  assert_string_equal(v.text, "x");
  assert_string_equal(v.file, "/dev/null");
  assert_int_equal(v.colour, BLUE);
  assert_int_equal(v.other, GREEN);
  assert_int_equal(v.profile, URL_NO_WWW);
  assert_false(v.is_loud || v.has_count);
  good("-l -tshort --parts a,b --parts c --whole d,e a");
  assert_true(v.is_loud);
  assert_string_equal(v.text, "short");
  assert_string_equal(v.parts, "a;b;c;d,e;");
}

CASE(other_words_are_left)
{
  good("first --few 1 -- --loud");
  assert_int_equal(optind, 4);
  assert_string_equal(argv[4], "first");
  assert_string_equal(argv[5], "--loud");
  assert_false(v.is_loud);
}

CASE(the_rest_is_refused)
{
  static const struct {
    const char *line, *says;
  } lines[] = {
    {"--few 65536 a", "strata try: --few \"65536\": not a whole number from 0 to 65535\n"},
    {"--few 1K a", "strata try: --few \"1K\": not a whole number from 0 to 65535\n"},
    {"--count 2 a", "strata try: --count \"2\": not a whole number from 3 to 18446744073709551615\n"},
    {"--bytes 2G a", "strata try: --bytes \"2G\": not a whole number from 1 to 1073741824\n"},
    {"--after 0 a", "strata try: --after \"0\": not a number of seconds above 0\n"},
    {"--rate 1 a", "strata try: --rate \"1\": not a rate from 1e-12 to 0.5\n"},
    {"--file /no/such a", "strata try: --file /no/such: No such file or directory\n"},
    {"--colour gree a", "strata try: --colour \"gree\": red, green or blue, please\n"},
    {"--colour red|green a", "strata try: --colour \"red|green\": red, green or blue, please\n"},
    {"--other blue a", "strata try: --other \"blue\": red or green, please\n"},
    {"--profile x a", "strata try: --profile \"x\": no such rules; \"strata url --help\" lists them\n"},
    {"--parts a,parts,b a", ""}, /* the function says it */
    {"--quiet a", "strata try: no such option: --quiet; \"strata help try\" lists the options\n"},
    {"--lodu a", "strata try: no such option: --lodu; did you mean --loud? \"strata help try\" lists the options\n"},
    {"--colours a", "strata try: no such option: --colours; did you mean --colour? \"strata help try\" lists the "
                    "options\n"},
    {"-xl a", "strata try: no such option: -x; \"strata help try\" lists the options\n"},
    {"--f 1 a", "strata try: --f may be --few, --file; which one, please?\n"},
    {"--loud=1 a", "strata try: --loud takes no value, so leave \"=1\" out\n"},
    {"--text", "strata try: --text needs a value; \"strata help try\" says which\n"},
    {"", "strata try: one word or two\n"},
    {"a b c", "strata try: one word or two\n"},
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_int_equal(read_line(lines[i].line), EXIT_USAGE);
    assert_string_equal(err, lines[i].says);
    assert_string_equal(out, "");
  }
}

static void refuse_number(const option_row *row, const char *value)
{
  fprintf(stderr, "%s wants another number than %s\n", row->name, value);
}

CASE(a_command_may_say_it_otherwise)
{
  option_table usual = table;
  (void)state;
  table.refuse_number = refuse_number;
  assert_int_equal(read_line("a --few x"), EXIT_USAGE);
  assert_string_equal(err, "few wants another number than x\n");
  table = usual;
}

CASE(help_is_the_table)
{
  assert_int_equal(read_line("--few 1 --help --few x"), EXIT_DONE);
  assert_string_equal(err, "");
  assert_string_equal(out, "Usage: strata try\n"
                           "\n"
                           "What\n"
                           "  --loud, -l  shout\n"
                           "  --blue    in blue\n"
                           "  --few N   not many\n"
                           "  --some N  more\n"
                           "  --count N  from three on\n"
                           "\n"
                           "How\n"
                           "  --bytes BYTES  so\n"
                           "            many\n"
                           "  --after S  seconds\n"
                           "  --rate P  of errors\n"
                           "  --text TEXT, -t TEXT  words\n"
                           "  --file FILE  which is there\n"
                           "  --colour red|green|blue  one of them,\n"
                           "            not two\n"
                           "  --other C  of two\n"
                           "  --profile RULES  of URLs\n"
                           "  --parts P,...  each\n"
                           "  --whole P  at once\n"
                           "\n"
                           "Exit: 0 done, 1 failed, 2 usage.\n");
}

/* ---- the commands' own tables --------------------------------------------------------------------------- */

static void check_row(const option_table *of, const option_row *row)
{
  bool is_number = row->kind == OPTION_COUNT || row->kind == OPTION_BYTES;
  bool is_called = row->kind == OPTION_CALL || row->kind == OPTION_LIST;
  bool is_sound = row->help && *row->help && row->name && *row->name && (row->kind == OPTION_FLAG) == !row->value &&
                  is_called == (row->take != NULL) && (is_called || row->size) &&
                  (!is_number || (row->low < row->high && (row->size == 8 || row->high >> 8 * row->size == 0)));
  if (!is_sound)
    fail_msg("%s: the row of --%s is not sound", of->command, row->name ? row->name : "?");
  for (const option_row *other = of->rows; other < row; other++)
    if (other->name && (strcmp(other->name, row->name) == 0 || (row->letter && other->letter == row->letter)))
      fail_msg("%s: --%s is there twice", of->command, row->name);
}

CASE(every_table_is_sound)
{
  size_t options = 0;
  (void)state;
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    for (size_t i = 0; i < c->options->count; i++)
      if (c->options->rows[i].kind != OPTION_TEXT) {
        check_row(c->options, &c->options->rows[i]);
        options++;
      }
  assert_in_range(options, 100, 1000);
}
