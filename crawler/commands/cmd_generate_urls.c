/* strata generate-urls: a URL list of any size from a seed, on standard output. */
#include "crawler/commands/cmd.h"
#include "datasets/make/generator.h"
#include "datasets/read/rowkey.h"
#include "datasets/read/urlset.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
  "Usage: strata generate-urls --n N --seed S [--like FILE]\n"
  "Write N different URLs, one a line, in an order and with the hosts, depths and queries of a real list.\n"
  "The same N, S and FILE give the same bytes on every machine. All hosts end in .example.\n"
  "\n"
  "  --n N        how many, 1 to 1099511627776\n"
  "  --seed S     any number from 0 to 18446744073709551615\n"
  "  --like FILE  as many hosts for each URL, as unevenly filled, the depths, the new segments at each depth and the\n"
  "               queries of this list, whatever format \"strata replay\" can read it in; - is standard input\n"
  "  --help       this text\n"
  "\n"
  "  strata generate-urls --n 1000000 --seed 1 >urls.txt\n"
  "\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

static int refuse(const char *why, const char *what)
{
  fprintf(stderr, "strata generate-urls: %s%s\n", why, what);
  return EXIT_USAGE;
}

/* Decimal digits only: strtoull alone takes blanks, signs and an empty string. */
static bool parse_number(const char *text, uint64_t *number)
{
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
    return false;
  errno = 0;
  *number = strtoull(text, NULL, 10);
  return errno == 0;
}

static int fail(const char *what, const char *why)
{
  fprintf(stderr, "strata generate-urls: %s: %s\n", what, why);
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
    fprintf(stderr, "strata generate-urls: out of memory\n");
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

int cmd_generate_urls(int argc, char **argv)
{
  enum { OPTION_N = 256, OPTION_SEED, OPTION_LIKE, OPTION_HELP };
  static const struct option options[] = {
    { "n", required_argument, NULL, OPTION_N },
    { "seed", required_argument, NULL, OPTION_SEED },
    { "like", required_argument, NULL, OPTION_LIKE },
    { "help", no_argument, NULL, OPTION_HELP },
    { NULL, 0, NULL, 0 },
  };
  uint64_t count = 0, seed = 0;
  bool has_count = false, has_seed = false;
  const char *like = NULL;
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    switch (option) {
      case OPTION_N:
        has_count = parse_number(optarg, &count) && count >= 1 && count <= GENERATOR_COUNT_MAX;
        if (!has_count)
          return refuse("--n takes a number from 1 to 1099511627776, not ", optarg);
        break;
      case OPTION_SEED:
        has_seed = parse_number(optarg, &seed);
        if (!has_seed)
          return refuse("--seed takes a number from 0 to 18446744073709551615, not ", optarg);
        break;
      case OPTION_LIKE:
        like = optarg;
        break;
      case OPTION_HELP:
        fputs(usage, stdout);
        return EXIT_DONE;
      default: /* getopt_long has said what is wrong */
        return EXIT_USAGE;
    }
  }
  if (optind < argc)
    return refuse("takes no arguments besides its options, not ", argv[optind]);
  if (!has_count || !has_seed)
    return refuse("needs --n and --seed; see strata generate-urls --help", "");
  url_shape shape = shape_usual;
  int code = like != NULL ? measure(like, &shape) : EXIT_DONE;
  return code == EXIT_DONE ? write_list(count, seed, &shape) : code;
}
