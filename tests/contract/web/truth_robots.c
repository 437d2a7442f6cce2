/* robots.txt, line by line. */
#include "tests/contract/web/truth_robots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_rule(reader_robots *robots, bool allows, const char *pattern)
{
  if (!*pattern)
    return; /* "Disallow:" forbids nothing */
  robots->rules = realloc(robots->rules, (robots->count + 1) * sizeof *robots->rules);
  if (!robots->rules || !(robots->rules[robots->count].pattern = strdup(pattern)))
    abort();
  robots->rules[robots->count++].allows = allows;
}

static void read_line(reader_robots *robots, const char *line, bool *is_for_us)
{
  char value[256] = "";
  if (sscanf(line, "User-agent: %255s", value) == 1)
    *is_for_us = strcmp(value, "*") == 0;
  else if (sscanf(line, "Sitemap: %255s", value) == 1)
    memcpy(robots->sitemap, value, sizeof value);
  else if (*is_for_us && sscanf(line, "Disallow: %255s", value) == 1)
    add_rule(robots, false, value);
  else if (*is_for_us && sscanf(line, "Allow: %255s", value) == 1)
    add_rule(robots, true, value);
}

void reader_robots_read(reader_robots *robots, int status, const char *body)
{
  bool is_for_us = false;
  robots->is_dead = status == 0;
  robots->bars_all = status / 100 == 5;
  for (const char *end; *body; body = *end ? end + 1 : end) {
    char line[512];
    end = body + strcspn(body, "\n");
    snprintf(line, sizeof line, "%.*s", (int)(end - body), body);
    read_line(robots, line, &is_for_us);
  }
}

/* '*' is anything, a '$' at the end is the end. */
static bool matches(const char *pattern, const char *target)
{
  if (!*pattern)
    return true;
  if (*pattern == '$' && !pattern[1])
    return !*target;
  if (*pattern == '*')
    return matches(pattern + 1, target) || (*target && matches(pattern, target + 1));
  return *pattern == *target && matches(pattern + 1, target + 1);
}

bool reader_robots_allow(const reader_robots *robots, const char *target)
{
  bool allows = !robots->bars_all;
  size_t longest = 0;
  for (size_t i = 0; i < robots->count; i++) {
    const reader_rule *rule = &robots->rules[i];
    size_t size = strlen(rule->pattern);
    if (matches(rule->pattern, target) && (size > longest || (size == longest && rule->allows))) {
      longest = size;
      allows = rule->allows;
    }
  }
  return allows;
}

void reader_robots_free(reader_robots *robots)
{
  for (size_t i = 0; i < robots->count; i++)
    free(robots->rules[i].pattern);
  free(robots->rules);
}
