/* log_judge: a server's log of one whole crawl, held against what it should have requested. See --help. */
#include "tests/site/compare.h"
#include "tests/site/judge.h"
#include "tests/site/tree.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  const char *log, *tree, *forbidding, *name;
  unsigned long long seed;
  unsigned port, entries;
  bool list;
} settings;

static const struct argp_option options[] = {
  {"log", 'l', "FILE", 0, "STATUS, HOST, METHOD, TARGET, AGENT of each request, with TABs between", 0},
  {"tree", 'r', "DIR", 0, "the site is the files of DIR: held against their link graph", 0},
  {"disallow", 'd', "PREFIX", 0, "what robots.txt of the tree forbids", 0},
  {"list", 't', NULL, 0, "no log: print the targets of all pages and files of the tree", 0},
  {"site", 's', "SEED", 0, "the site is the one that site_server makes of SEED", 0},
  {"entries", 'n', "N", 0, "its size (default 300)", 0},
  {"port", 'p', "PORT", 0, "of 127.0.0.1, where site_server was", 0},
  {"name", 'm', "NAME", 0, "what the row begins with", 0},
  {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
  settings *s = state->input;
  switch (key) {
  case 'l': s->log = value; break;
  case 'r': s->tree = value; break;
  case 'd': s->forbidding = *value ? value : NULL; break;
  case 't': s->list = true; break;
  case 's': s->seed = strtoull(value, NULL, 10); break;
  case 'n': s->entries = (unsigned)strtoul(value, NULL, 10); break;
  case 'p': s->port = (unsigned)strtoul(value, NULL, 10); break;
  case 'm': s->name = value; break;
  case ARGP_KEY_END:
    if (s->list ? !s->tree : !s->log || (!s->tree && (!s->port || !s->entries)))
      argp_error(state, "--tree --list, --tree --log, or --site --port --log");
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int print_list(const settings *s)
{
  reachable truth = reachable_find(s->tree, s->forbidding);
  for (uint32_t i = 0; i < truth.count; i++) {
    text path = {0}, file = {0};
    bool wants_slash;
    const char *target = truth.targets[i];
    if (!reachable_is_forbidden(&truth, target) && tree_unescape(&path, target, strcspn(target, "?")) &&
        tree_find(s->tree, path.bytes, &file, &wants_slash))
      puts(target);
    text_free(&path);
    text_free(&file);
  }
  reachable_free(&truth);
  return 0;
}

/* Of a tree, or of a generated site. */
static difference judge(const settings *s, const request_log *log, uint32_t *wanted)
{
  difference d;
  if (s->tree) {
    reachable truth = reachable_find(s->tree, s->forbidding);
    d = compare_requests(&truth, log);
    *wanted = truth.count - truth.forbidden;
    reachable_free(&truth);
  } else {
    site *made = site_create(&(site_options){s->seed, s->entries, "127.0.0.1", s->port});
    verdict v = judge_requests(log, made, &judge_everything);
    d = (difference){v.missed, v.unknown, v.again, v.forbidden, v.robots};
    *wanted = v.pages + v.missed;
    site_free(made);
  }
  return d;
}

int main(int argc, char **argv)
{
  settings s = {.seed = 1, .entries = 300, .name = "site"};
  const struct argp argp = {options,
                            parse_option,
                            NULL,
                            "Prints NAME, wanted targets, requests, missed, extra, twice, forbidden, requests of "
                            "robots.txt. Exit code 1: one of the four is not 0, or robots.txt was not read once.",
                            NULL,
                            NULL,
                            NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &s);
  if (s.list)
    return print_list(&s);
  request_log log = requests_read(s.log);
  uint32_t wanted;
  difference d = judge(&s, &log, &wanted);
  printf("%-18s %7u %8zu %7u %6u %6u %9u %6u\n", s.name, (unsigned)wanted, log.count, d.missed, d.extra, d.twice,
         d.forbidden, d.robots);
  requests_free(&log);
  return d.missed || d.extra || d.twice || d.forbidden || d.robots != 1;
}
