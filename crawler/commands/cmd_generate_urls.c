/* strata generate-urls: a URL list of any size from a seed, on standard output. */
#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "datasets/make/generator.h"
#include "datasets/read/rowkey.h"
#include "datasets/read/urlset.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *why, const char *what)
{
  say_error("generate-urls", "%s%s", why, what);
  return EXIT_USAGE;
}

static int fail(const char *what, const char *why)
{
  say_error("generate-urls", "%s: %s", what, why);
  return EXIT_FAILED;
}

static const char *temporary_directory(void)
{
  const char *named = getenv("TMPDIR");
  return named != NULL && named[0] != '\0' ? named : "/tmp";
}

/* NULL, or why not. */
static const char *measure_rows(urlset *set, shape_meter *meter)
{
  const char *text;
  size_t size;
  bool is_https;
  dataset_status status = DATASET_END;
  url *out = malloc(sizeof *out);
  if (out == NULL)
    return "out of memory";
  bool is_kept = true;
  while (is_kept && (status = urlset_next(set, &text, &size)) == DATASET_OK)
    if (rowkey_make(text, size, out, &is_https) == URL_OK)
      is_kept = shape_meter_add(meter, out->key, out->key_size);
  free(out);
  if (!is_kept)
    return strerror(errno);
  return status == DATASET_END ? NULL : dataset_failure_text(status);
}

static int measure(const char *path, url_shape *shape)
{
  const char *reason;
  urlset *set = urlset_open(path, NULL, NULL, &reason);
  if (set == NULL)
    return fail(path, reason);
  shape_meter *meter = shape_meter_create(temporary_directory());
  reason = meter != NULL ? measure_rows(set, meter) : strerror(errno);
  if (reason == NULL && !shape_meter_finish(meter, shape))
    reason = errno == EINVAL ? "there is no URL in it" : strerror(errno);
  shape_meter_free(meter);
  urlset_close(set);
  return reason == NULL ? EXIT_DONE : fail(path, reason);
}

static int write_list(uint64_t count, uint64_t seed, const url_shape *shape)
{
  url_generator *generator = generator_create(count, seed, shape);
  if (generator == NULL) {
    say_error("generate-urls", "out of memory");
    return EXIT_FAILED;
  }
  char line[GENERATOR_URL_SIZE];
  bool written = true;
  for (size_t size; written && (size = generator_next(generator, line)) != 0;) {
    line[size] = '\n';
    written = fwrite(line, 1, size + 1, stdout) == size + 1;
  }
  generator_free(generator);
  return written && fflush(stdout) == 0 ? EXIT_DONE : fail("cannot write to standard output", strerror(errno));
}

typedef struct generate_args {
  uint64_t count, seed;
  bool has_count, has_seed;
  const char *like;
} generate_args;

static void refuse_number(const option_row *row, const char *value)
{
  say_error("generate-urls", "--%s takes a number from %ju to %ju, not %s", row->name, (uintmax_t)row->low,
            (uintmax_t)row->high, value);
}

#define FIELD(member) OPTION_FIELD(generate_args, member)
#define GIVEN(member) .given = offsetof(generate_args, member)

static const option_row option_rows[] = {
  {"n", "N", OPTION_COUNT, FIELD(count), GIVEN(has_count), .low = 1, .high = GENERATOR_COUNT_MAX,
   .help = "number of URLs, 1 to 1099511627776"},
  {"seed", "S", OPTION_COUNT, FIELD(seed), GIVEN(has_seed), .low = 0, .high = UINT64_MAX,
   .help = "any number from 0 to 18446744073709551615",
   .manual = "A number; the same {Ar N} and {Ar S} give the same bytes on every machine."},
  {"like", "FILE", OPTION_STRING, FIELD(like),
   .help = "imitate this list: its hosts per URL, URLs per host, depths, new segments at each depth and\n"
           "query strings; any format that \"strata replay\" reads; - is standard input"},
  {.kind = OPTION_TEXT, .help = "  --help       this text"},
};

const option_table cmd_generate_urls_options = {
  .command = "generate-urls",
  .column = 15,
  OPTION_ROWS(option_rows),
  .refuse_number = refuse_number,
  .before =
    "Usage: strata generate-urls --n N --seed S [--like FILE]\n"
    "Print N different URLs, one per line, with order, hosts, depths and query strings like those of a real list: a\n"
    "built-in one, or FILE.\n"
    "The same N, S and FILE give the same bytes on every machine. All hosts end in .example.\n",
  .after = "  strata generate-urls --n 1000000 --seed 1 >urls.txt\n",
};

int cmd_generate_urls(int argc, char **argv)
{
  generate_args args = {0};
  int code = options_read(&cmd_generate_urls_options, argc, argv, &args);
  if (code != OPTIONS_READ)
    return code;
  if (optind < argc)
    return refuse("takes no arguments besides its options, not ", argv[optind]);
  if (!args.has_count || !args.has_seed)
    return refuse("needs --n and --seed; see strata generate-urls --help", "");
  url_shape shape = shape_usual;
  code = args.like ? measure(args.like, &shape) : EXIT_DONE;
  return code == EXIT_DONE ? write_list(args.count, args.seed, &shape) : code;
}
