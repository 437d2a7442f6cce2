/* strata plan: the table is mlbf/plan.h's, and nonsense is refused. */
#include "mlbf/plan.h"
#include "tests/support/command.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int plan(const char *arguments)
{
  return command_run(arguments, "", NULL, out, err);
}

CASE(each_row_is_what_the_library_plans)
{
  static const struct {
    const char *name;
    mlbf_kind kind;
    bool signals;
  } rows[] = {
    {"\nbloom ", MLBF_KIND_BLOOM, false},
    {"\nline ", MLBF_KIND_LINE, false},
    {"\nmlbf  ", MLBF_KIND_MLBF, false},
    {"\nmlbf, signals ", MLBF_KIND_MLBF, true},
  };
  assert_int_equal(plan("plan --urls 5000000 --fp 0.001"), EXIT_DONE);
  assert_non_null(strstr(out, "5,000,000 URLs, at most 1 in 1,000 new ones"));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_plan made;
    char bits[32];
    mlbf_options options = {
      .size = sizeof(mlbf_options), .kind = rows[i].kind, .keys = 5000000, .rate = 0.001, .signals = rows[i].signals};
    assert_int_equal(mlbf_plan_make(&options, &made, NULL), MLBF_OK);
    snprintf(bits, sizeof bits, " %.2f ", (double)made.bits / 5000000);
    const char *row = strstr(out, rows[i].name);
    assert_non_null(row);
    const char *found = strstr(row, bits);
    if (!found || found > strchr(row + 1, '\n'))
      fail_msg("no%sbits a URL in the row of%s", bits, rows[i].name);
  }
}

CASE(nonsense_is_refused_in_a_sentence)
{
  static const char *const rows[] = {
    "plan",
    "plan --urls 5",
    "plan --fp 0.1",
    "plan --urls 0 --fp 0.1",
    "plan --urls 5 --fp 0",
    "plan --urls 5 --fp 1",
    "plan --urls -5 --fp 0.1",
    "plan --urls 5 --fp nan",
    "plan --urls 281474976710656 --fp 1e-6",
    "plan --urls 999999999999999999999 --fp 0.1",
    "plan --urls 5 --fp 0.1 more",
    "plan --nonsense",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int code = plan(rows[i]);
    if (code != EXIT_USAGE || *out || !*err)
      fail_msg("\"%s\": code %d, said \"%s\", printed \"%s\"", rows[i], code, err, out);
  }
}
