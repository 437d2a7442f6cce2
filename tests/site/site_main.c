/* site_server: the test web server as a program. See README.md. */
#include "tests/site/server.h"
#include "tests/site/site.h"
#include "tests/site/tree.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  char *root;
  const char *log, *address, *host;
  uint64_t seed;
  unsigned port, entries, latency_ms, jitter_ms, close_after, drop_after;
  int truth;
} settings;

enum { KEY_LATENCY = 256, KEY_JITTER, KEY_CLOSE_AFTER, KEY_DROP_AFTER, KEY_TRUTH, KEY_HOST };

static const struct argp_option options[] = {
  {"root", 'r', "DIR", 0, "serve the files below DIR", 0},
  {"site", 's', "SEED", 0, "serve the site made from SEED (default 1)", 0},
  {"entries", 'n', "N", 0, "its pages, files, redirects, ... (default 300)", 0},
  {"truth", KEY_TRUTH, NULL, 0, "print what a correct crawl of the site requests, and end", 0},
  {"address", 'a', "IPV4", 0, "listen here (default 127.0.0.1)", 0},
  {"port", 'p', "PORT", 0, "and here (default: any free port)", 0},
  {"host", KEY_HOST, "NAME", 0, "the site's own name for itself in links (default: the address)", 0},
  {"log", 'l', "FILE", 0, "append STATUS, HOST, METHOD, TARGET, USER-AGENT of each request, with TABs between", 0},
  {"latency", KEY_LATENCY, "MS", 0, "wait before each response", 0},
  {"jitter", KEY_JITTER, "MS", 0, "wait up to MS more, at random", 0},
  {"close-after", KEY_CLOSE_AFTER, "N", 0, "close each connection after N responses, and say so", 0},
  {"drop-after", KEY_DROP_AFTER, "N", 0, "close each connection under the request after the N-th", 0},
  {0},
};

static unsigned parse_number(struct argp_state *state, const char *word)
{
  char *end;
  unsigned long value = strtoul(word, &end, 10);
  if (end == word || *end || value > 1000000000)
    argp_error(state, "not a number: %s", word);
  return (unsigned)value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
  settings *s = state->input;
  switch (key) {
  case 'r': s->root = value; break;
  case 's': s->seed = parse_number(state, value); break;
  case 'n': s->entries = parse_number(state, value); break;
  case 'a': s->address = value; break;
  case 'p': s->port = parse_number(state, value); break;
  case 'l': s->log = value; break;
  case KEY_HOST: s->host = value; break;
  case KEY_LATENCY: s->latency_ms = parse_number(state, value); break;
  case KEY_JITTER: s->jitter_ms = parse_number(state, value); break;
  case KEY_CLOSE_AFTER: s->close_after = parse_number(state, value); break;
  case KEY_DROP_AFTER: s->drop_after = parse_number(state, value); break;
  case KEY_TRUTH: s->truth = 1; break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void print_truth(const site *s)
{
  uint32_t *depths = calloc(site_size(s), sizeof *depths);
  if (!depths)
    abort();
  site_measure(s, 0, "/", false, depths);
  puts("once\t/robots.txt");
  for (uint32_t i = 0; i < site_size(s); i++) {
    const site_entry *entry = site_entry_at(s, i);
    printf("%s\t%s\t%s %d, depth %u\n", site_entry_is_wanted(entry, false) ? "once" : "never", entry->target,
           site_kind_name(entry->kind), entry->status, depths[i]);
  }
  free(depths);
}

static int fail(const char *what)
{
  fprintf(stderr, "site_server: %s: %s\n", what, strerror(errno));
  return 1;
}

int main(int argc, char **argv)
{
  settings s = {.address = "127.0.0.1", .seed = 1, .entries = 300};
  const struct argp argp = {options, parse_option, NULL, "A web server for tests.", NULL, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &s);
  int log_fd = s.log ? open(s.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  if (s.log && log_fd < 0)
    return fail(s.log);
  int listen_fd = server_listen(s.address, &s.port);
  if (listen_fd < 0)
    return fail(s.address);
  const site_options made = {s.seed, s.entries ? s.entries : 1, s.host ? s.host : s.address, s.port};
  site *made_site = s.root ? NULL : site_create(&made);
  if (s.truth && made_site) {
    print_truth(made_site);
    site_free(made_site);
    return 0;
  }
  const server_options serving = {.answer = s.root ? tree_answer : site_answer,
                                  .context = s.root ? (void *)s.root : made_site,
                                  .log_fd = log_fd,
                                  .latency_ms = s.latency_ms,
                                  .jitter_ms = s.jitter_ms,
                                  .close_after = s.close_after,
                                  .drop_after = s.drop_after,
                                  .seed = s.seed};
  printf("http://%s:%u/\n", made.host, s.port);
  fflush(stdout);
  server_run(listen_fd, &serving);
  return fail("epoll");
}
