/* strata generate-urls: a URL list of any size from a seed, on standard output. */
#include "crawler/cmd.h"
#include "datasets/generator.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
  "Usage: strata generate-urls --n N --seed S\n"
  "Write N different URLs, one a line, in an order and with the hosts, depths and queries of a real list.\n"
  "The same N and S give the same bytes on every machine. All hosts end in .example.\n"
  "\n"
  "  --n N      how many, 1 to 1099511627776\n"
  "  --seed S   any number from 0 to 18446744073709551615\n"
  "  --help     this text\n";

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

static int write_list(uint64_t count, uint64_t seed)
{
  url_generator *generator = generator_create(count, seed);
  if (generator == NULL) {
    fprintf(stderr, "strata generate-urls: out of memory\n");
    return EXIT_FAILED;
  }
  char url[GENERATOR_URL_SIZE];
  bool written = true;
  for (size_t size; written && (size = generator_next(generator, url)) != 0;) {
    url[size] = '\n';
    written = fwrite(url, 1, size + 1, stdout) == size + 1;
  }
  generator_free(generator);
  if (written && fflush(stdout) == 0)
    return EXIT_DONE;
  fprintf(stderr, "strata generate-urls: cannot write to standard output: %s\n", strerror(errno));
  return EXIT_FAILED;
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
        return refuse("--like is not in this version yet", "");
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
  return write_list(count, seed);
}
