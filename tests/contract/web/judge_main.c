/* web_judge: the log of web_server, held against the truth; one line of JSON. Or the truth itself, page by page. */
#include "tests/contract/web/score.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  const char *line, *log, *list;
  web_rules rules;
  double delay_s;
} settings;

static const struct argp_option options[] = {
  {"web", 'w', "LINE", 0, "as web_server was given it", 0},
  {"log", 'l', "FILE", 0, "its log (default: standard input)", 0},
  {"list", 'L', "FATE", 0, "only print the URLs that are wanted, bad, dead, barred or unlinked; or all", 0},
  {"scope", 's', "SCOPE", 0, "of the crawl: host, domain, any (default)", 0},
  {"no-sitemaps", 'n', NULL, 0, "the crawl read none", 0},
  {"ignore-robots", 'i', NULL, 0, "the crawl did not care", 0},
  {"delay", 'd', "S", 0, "it promised that many seconds between requests to a host (default 0)", 0},
  {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
  static const char *const scopes[] = {"host", "domain", "any"}; /* as web_scope */
  settings *s = state->input;
  char *end;
  unsigned scope = 0;
  switch (key) {
  case 'w': s->line = value; break;
  case 'l': s->log = value; break;
  case 'L': s->list = value; break;
  case 's':
    while (scope < 3 && strcmp(scopes[scope], value) != 0)
      scope++;
    if (scope == 3)
      argp_error(state, "no such scope: %s", value);
    s->rules.scope = (web_scope)scope;
    break;
  case 'n': s->rules.sitemaps = false; break;
  case 'i': s->rules.ignores_robots = true; break;
  case 'd':
    s->delay_s = strtod(value, &end);
    if (end == value || *end || !(s->delay_s >= 0 && s->delay_s < 1e6))
      argp_error(state, "no number of seconds: %s", value);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void list(const web *w, const settings *s)
{
  text url = {0};
  for (uint32_t host = 0; host < web_options_of(w)->hosts; host++)
    for (uint32_t page = 0, pages = web_host_pages(w, host); page < pages; page++) {
      const char *fate = web_fate_name(web_look(w, &s->rules, host, page).fate);
      bool is_all = strcmp(s->list, "all") == 0;
      if (!is_all && strcmp(s->list, fate) != 0)
        continue;
      text_clear(&url);
      web_url(w, host, page, &url);
      printf(is_all ? "%s\t%s\n" : "%s\n", url.bytes, fate);
    }
  text_free(&url);
}

static void print_score(const score *s)
{
  const struct {
    const char *name;
    uint64_t value;
  } rows[] = {
    {"wanted", s->wanted},
    {"fetched", s->fetched},
    {"missed_resting", s->missed_resting},
    {"missed_flaky", s->missed_flaky},
    {"requests", s->requests},
    {"robots", s->robots},
    {"again", s->again},
    {"too_soon", s->too_soon},
    {"before_robots", s->before_robots},
    {"barred", s->barred},
    {"elsewhere", s->elsewhere},
    {"unlinked", s->unlinked},
    {"unknown", s->unknown},
    {"endless", s->endless},
    {"failures", s->failures},
    {"bytes", s->bytes},
    {"ms", s->last_ms - s->first_ms},
  };
  printf("{\"coverage\":%.6f", s->wanted ? (double)s->fetched / (double)s->wanted : 1.0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    printf(",\"%s\":%llu", rows[i].name, (unsigned long long)rows[i].value);
  printf("}\n");
}

static int judge_log(const web *w, const settings *s)
{
  FILE *file = s->log ? fopen(s->log, "re") : stdin;
  char *line = NULL;
  size_t room = 0;
  serve_log_line read;
  if (!file) {
    fprintf(stderr, "web_judge: cannot read %s: %s\n", s->log, strerror(errno));
    return 1;
  }
  judge *j = judge_create(w, &s->rules, (uint64_t)(1000 * s->delay_s));
  while (getline(&line, &room, file) > 0)
    if (serve_log_read(line, &read)) /* the last one may be half written */
      judge_take(j, &read);
  score end = judge_end(j);
  print_score(&end);
  judge_free(j);
  free(line);
  if (s->log)
    fclose(file);
  return 0;
}

int main(int argc, char **argv)
{
  static const struct argp parser = {
    .options = options, .parser = parse_option, .doc = "Holds the log of a crawl against the truth."};
  settings chosen = {.line = "", .rules = {.scope = WEB_SCOPE_ANY, .sitemaps = true}};
  web_options read;
  char error[256];
  int code = 0;
  argp_parse(&parser, argc, argv, 0, NULL, &chosen);
  if (!web_options_read(&read, chosen.line, error, sizeof error)) {
    fprintf(stderr, "web_judge: %s\n", error);
    return 2;
  }
  web *w = web_create(&read);
  if (chosen.list)
    list(w, &chosen);
  else
    code = judge_log(w, &chosen);
  web_free(w);
  return code;
}
