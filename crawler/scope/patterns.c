/* See patterns.h. URLs are ASCII by the time they come here, so nothing is compiled for UTF-8 and no subject can be
 * invalid.
 *
 * PCRE2's own limits hold anew for each byte of a URL at which a match could begin: [a-z]{0,300}[a-z]{0,300}\d stays
 * below them at each of 4,000 bytes, and takes 300 ms for all. So its callouts, one before each item that is tried,
 * count the steps of a whole URL. With an ordinary expression they cost 0.1 us a URL. */
#include "crawler/scope/patterns.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  STEPS_MAX = 2000000, /* of all expressions for one URL: up to 10 ms */
  STEP_BYTES = 16,     /* an item passes them over in the time of a callout, 5 ns */
  MATCH_LIMIT = 100000,
  HEAP_KIB = 1024,
};

typedef struct pattern {
  bool is_include;
  pcre2_code *code;
} pattern;

struct patterns {
  pattern *list;
  size_t count, includes;
  pcre2_match_context *limits;
  pcre2_match_data *match;
  size_t at; /* where the last callout was */
  uint64_t steps;
  char *text;
  size_t text_size;
  uint64_t undecided;
};

static int count_steps(pcre2_callout_block *block, void *context)
{
  patterns *p = context;
  size_t at = block->current_position, passed = at > p->at ? at - p->at : p->at - at;
  p->at = at;
  p->steps += 1 + passed / STEP_BYTES;
  return p->steps > STEPS_MAX ? PCRE2_ERROR_CALLOUT : 0;
}

patterns *patterns_create(void)
{
  patterns *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->limits = pcre2_match_context_create(NULL);
  p->match = pcre2_match_data_create(1, NULL);
  p->text = calloc(1, 1);
  if (!p->limits || !p->match || !p->text) {
    patterns_free(p);
    return NULL;
  }
  pcre2_set_match_limit(p->limits, MATCH_LIMIT);
  pcre2_set_heap_limit(p->limits, HEAP_KIB);
  pcre2_set_callout(p->limits, count_steps, p);
  return p;
}

void patterns_free(patterns *p)
{
  if (!p)
    return;
  for (size_t i = 0; i < p->count; i++)
    pcre2_code_free(p->list[i].code);
  free(p->list);
  free(p->text);
  pcre2_match_data_free(p->match);
  pcre2_match_context_free(p->limits);
  free(p);
}

/* Room for one more, so that nothing can fail half-way. */
static bool make_room(patterns *p, size_t text_size)
{
  pattern *list = realloc(p->list, (p->count + 1) * sizeof *list);
  if (list)
    p->list = list;
  char *text = realloc(p->text, p->text_size + text_size + 1);
  if (text)
    p->text = text;
  return list && text;
}

bool patterns_add(patterns *p, bool is_include, const char *expression, char message[PATTERNS_MESSAGE])
{
  int error;
  size_t at, size = strlen(expression) + 2; /* its sign, and a line feed */
  unsigned char why[128];
  if (strchr(expression, '\n') || !*expression) {
    snprintf(message, PATTERNS_MESSAGE, "%s",
             *expression ? "a URL has no line feed" : "an empty expression matches all");
    return false;
  }
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF | PCRE2_AUTO_CALLOUT,
                                   &error, &at, NULL);
  if (!code) {
    pcre2_get_error_message(error, why, sizeof why);
    snprintf(message, PATTERNS_MESSAGE, "%s, at character %zu", why, at + 1);
    return false;
  }
  if (!make_room(p, size)) {
    pcre2_code_free(code);
    snprintf(message, PATTERNS_MESSAGE, "out of memory");
    return false;
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without it, it is only slower */
  p->list[p->count++] = (pattern){is_include, code};
  p->includes += is_include;
  snprintf(p->text + p->text_size, size + 1, "%c%s\n", is_include ? '+' : '-', expression);
  p->text_size += size;
  return true;
}

/* false also where the limits were met: then `*is_undecided`. */
static bool matches(patterns *p, const pcre2_code *code, const char *spelling, size_t size, bool *is_undecided)
{
  p->at = 0;
  int found = pcre2_match(code, (PCRE2_SPTR)spelling, size, 0, 0, p->match, p->limits);
  *is_undecided |= found < 0 && found != PCRE2_ERROR_NOMATCH;
  return found >= 0;
}

/* By those of one kind: does any match? `if_undecided` where the limits were met. */
static bool any_matches(patterns *p, bool is_include, const url *u, bool if_undecided)
{
  bool is_undecided = false, is_one = u->key_size == u->fetch_size && memcmp(u->key, u->fetch, u->key_size) == 0;
  for (size_t i = 0; i < p->count; i++) {
    const pattern *one = &p->list[i];
    if (one->is_include == is_include && (matches(p, one->code, u->fetch, u->fetch_size, &is_undecided) ||
                                          (!is_one && matches(p, one->code, u->key, u->key_size, &is_undecided))))
      return true;
  }
  p->undecided += is_undecided;
  return is_undecided && if_undecided;
}

bool patterns_exclude(patterns *p, const url *u)
{
  p->steps = 0;
  return any_matches(p, false, u, true);
}

bool patterns_take(patterns *p, const url *u)
{
  p->steps = 0;
  return (!p->includes || any_matches(p, true, u, false)) && !any_matches(p, false, u, true);
}

uint64_t patterns_undecided(const patterns *p)
{
  return p->undecided;
}

const char *patterns_text(const patterns *p)
{
  return p->text;
}

bool patterns_read(patterns *p, const char *text, size_t size)
{
  char message[PATTERNS_MESSAGE];
  for (const char *at = text, *end = text + size, *newline; at < end; at = newline + 1) {
    newline = memchr(at, '\n', (size_t)(end - at));
    char *expression = newline ? strndup(at + 1, (size_t)(newline - at - 1)) : NULL;
    bool is_read = expression && (*at == '+' || *at == '-') && patterns_add(p, *at == '+', expression, message);
    free(expression);
    if (!is_read)
      return false;
  }
  return true;
}
