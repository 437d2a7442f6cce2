/* strata digest: what it prints and what it refuses. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/command.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static char root[SCRATCH_PATH], a[SCRATCH_PATH], b[SCRATCH_PATH], set[SCRATCH_PATH], table[SCRATCH_PATH];
static char out[COMMAND_OUTPUT_SIZE], err[COMMAND_OUTPUT_SIZE];

static int begin(void **state)
{
  (void)state;
  enum { SIZE = 30000 };
  static char bytes[SIZE];
  uint32_t dice = 7;
  for (size_t i = 0; i < SIZE; i++)
    bytes[i] = (char)((dice = dice * 1664525 + 1013904223) >> 24);
  scratch_make(root);
  scratch_join(root, "a.bin", a);
  scratch_join(root, "b.bin", b);
  scratch_join(root, "set", set);
  scratch_join(root, "table", table);
  scratch_write(a, bytes, SIZE);
  scratch_write(b, bytes + SIZE / 2, SIZE / 2);
  scratch_write(table, "1\n2\n", 4);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...)
{
  char arguments[3 * SCRATCH_PATH];
  va_list values;
  va_start(values, format);
  vsnprintf(arguments, sizeof arguments, format, values);
  va_end(values);
  return command_run(arguments, "", NULL, out, err);
}

CASE(a_line_for_each_file)
{
  assert_int_equal(run("digest %s %s", a, b), EXIT_DONE);
  assert_memory_equal(out, "sdbf:03:5:a.bin:30000:sha1:256:5:7ff:160:", 41);
  assert_non_null(strstr(out, "\nsdbf:03:5:b.bin:15000:"));
  assert_int_equal(run("digest --dd --threads 2 %s", a), EXIT_DONE);
  assert_memory_equal(out, "sdbf-dd:03:5:a.bin:30000:sha1:256:5:7ff:192:2:16384:", 52);
  assert_int_equal(run("digest --paths %s", a), EXIT_DONE);
  assert_non_null(strstr(out, root));
}

CASE(a_part_scores_high)
{
  int score = 0;
  assert_int_equal(run("digest --compare %s %s", a, b), EXIT_DONE);
  assert_int_equal(sscanf(out, "a.bin|b.bin|%d\n", &score), 1);
  assert_in_range(score, 40, 100);
  assert_int_equal(run("digest %s %s", a, b), EXIT_DONE);
  scratch_write(set, out, strlen(out));
  assert_int_equal(run("digest --search %s %s", set, b), EXIT_DONE);
  assert_memory_equal(out, "b.bin|b.bin|100\nb.bin|a.bin|0", 28);
  assert_int_equal(run("digest --top 1 --search %s %s", set, b), EXIT_DONE);
  assert_string_equal(out, "b.bin|b.bin|100\n");
  assert_int_equal(run("digest --min 100 --compare %s", set), EXIT_DONE);
  assert_string_equal(out, "");
}

CASE(what_cannot_be_digested_is_said)
{
  assert_int_equal(run("digest %s %s", table, a), EXIT_FAILED); /* the other file is done all the same */
  assert_non_null(strstr(err, "4 bytes; fewer than 512"));
  assert_memory_equal(out, "sdbf:03:5:a.bin:", 16);
  assert_int_equal(run("digest /no/such/file"), EXIT_FAILED);
  assert_non_null(strstr(err, "/no/such/file: No such file or directory"));
  assert_int_equal(run("digest --ranks %s %s", table, a), EXIT_FAILED);
  assert_non_null(strstr(err, "not a table of 1001 ranks"));
  scratch_write(set, "sdbf:03:1:x:600:sha1:256:5:7ff:160:1:12:AAAA\n", 45);
  assert_int_equal(run("digest --compare %s", set), EXIT_FAILED);
  assert_non_null(strstr(err, "line 1 is no digest: it has not as many filters as it says"));
}

/* The reason sdhash gives; a file too large is told by its size. Any bytes are a text: digests know no encoding. */
CASE(too_little_and_too_much)
{
  char path[SCRATCH_PATH], bytes[600];
  scratch_join(root, "odd", path);
  scratch_write(path, "", 0);
  assert_int_equal(run("digest %s", path), EXIT_FAILED);
  assert_non_null(strstr(err, "odd: 0 bytes; fewer than 512 have too few features to compare"));
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(0x80 | i * i);
  scratch_write(path, bytes, 511);
  assert_int_equal(run("digest %s", path), EXIT_FAILED);
  assert_non_null(strstr(err, "odd: 511 bytes; fewer than 512 have too few features to compare"));
  scratch_write(path, bytes, sizeof bytes);
  assert_int_equal(run("digest %s", path), EXIT_DONE);
  assert_memory_equal(out, "sdbf:03:3:odd:600:", 18);
  assert_int_equal(truncate(path, INT64_C(5) << 30), 0);
  assert_int_equal(run("digest %s", path), EXIT_FAILED);
  assert_string_equal(out, "");
  assert_non_null(strstr(err, "odd: 4 GiB or more; digest it in pieces"));
}

CASE(wrong_usage)
{
  assert_int_equal(run("digest"), EXIT_USAGE);
  assert_int_equal(run("digest --compare a b c"), EXIT_USAGE);
  assert_int_equal(run("digest --threads 0 a"), EXIT_USAGE);
  assert_int_equal(run("digest --no-such-option"), EXIT_USAGE);
  assert_int_equal(run("digest --help"), EXIT_DONE);
}

EACH_CASE(begin, end)
