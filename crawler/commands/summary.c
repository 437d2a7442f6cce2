/* See summary.h. */
#include "crawler/commands/summary.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "crawler/commands/shell_word.h"
#include "crawler/report/missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const end_names[] = {"finished",  "max-depth",   "traps",   "max-pages",
                                        "max-bytes", "max-seconds", "stopped", "failed"};
static const char *const end_texts[] = {
  "Done: every page in scope was fetched",
  "Done: every page within --max-depth was fetched",
  "Done: every page in scope was fetched, but what looks like a trap",
  "Done: the cap of --max-pages is reached",
  "Done: the cap of --max-bytes is reached",
  "Done: the time of --max-seconds is over",
  "Stopped by a signal",
  "The crawl broke off",
};

#define SECRET "SECRET"

#define NOT_COMPLETE(line) "not complete: see \"" line "\" below"

/* Does no line begin with "Missing", but one with "Waiting"? */
static bool is_only_waiting(const missing *m)
{
  missing others = *m;
  char text[MISSING_SENTENCE];
  others.rest = (lacks_rest){0};
  return m->rest.not_public && !missing_sentence(&others, 0, text);
}

/* "Every page" is said where it is so. */
static const char *text_of_end(const summary *s, const missing *m)
{
  bool is_deferring = frontier_is_deferring(s->frontier), is_only_held = missing_is_only_held(m);
  if (s->end > CRAWL_TRAPS_LEFT || m->is_complete || (s->end == CRAWL_TRAPS_LEFT && is_only_held && !is_deferring))
    return end_texts[s->end];
  if (s->end == CRAWL_TRAPS_LEFT && is_only_held)
    return "Done: every page within --max-depth was fetched, but what looks like a trap";
  if (is_only_waiting(m))
    return is_deferring ? "Done within --max-depth, but " NOT_COMPLETE("Waiting")
                        : "Done, but " NOT_COMPLETE("Waiting");
  return is_deferring ? "Done within --max-depth, but " NOT_COMPLETE("Missing") : "Done, but " NOT_COMPLETE("Missing");
}

/* ---- for people ----------------------------------------------------------------------------------------- */

/* Is the option word `word` one of these? `*has_value` if its value is the word after. */
static bool is_dropped(const char *word, crawl_end end, bool *has_value)
{
  static const char *const caps[] = {[CRAWL_PAGE_CAP] = "max-pages",
                                     [CRAWL_BYTE_CAP] = "max-bytes",
                                     [CRAWL_DEPTH_CAP] = "max-depth",
                                     [CRAWL_TRAPS_LEFT] = "trap-budget",
                                     [CRAWL_BROKEN] = NULL};
  size_t size = strcspn(word, "=");
  const option_row *row = size > 2 && strncmp(word, "--", 2) == 0 ? options_find(&cmd_crawl_options, word + 2, size - 2)
                                                                  : NULL;
  *has_value = row && row->value && word[size] == '\0';
  return row && (row->is_once || (caps[end] && strcmp(row->name, caps[end]) == 0));
}

/* The secret in an option word: alone in it, behind "--name=", or behind "-H". NULL: there is none. */
static const crawl_secret *secret_in(const crawl_args *args, const char *word)
{
  const char *equals = strchr(word, '=');
  const char *long_value = equals ? equals + 1 : word, *short_value = strlen(word) > 2 ? word + 2 : word;
  for (size_t i = 0; i < args->secret_count; i++) {
    const crawl_secret *s = &args->secrets[i];
    if (s->size && (s->value == word || s->value == long_value || s->value == short_value))
      return s;
  }
  return NULL;
}

/* false: out of memory, and nothing printed. */
static bool print_hidden(const char *word, const crawl_secret *secret)
{
  size_t size = strlen(word) + sizeof SECRET;
  char *shown = malloc(size);
  if (!shown)
    return false;
  const char *hidden = secret->value + secret->begin;
  snprintf(shown, size, "%.*s%s%s", (int)(hidden - word), word, SECRET, hidden + secret->size);
  shell_word_print(shown);
  free(shown);
  return true;
}

/* "strata audit" has --audit of itself; a script has not. */
static bool is_named_audit(const summary *s, const char *script)
{
  return s->args->audit && !script;
}

/* The command that goes on: this one with its directory named, without start URLs and the cap that stopped it.
 * Passwords and headers are not repeated: what is printed here ends in logs. */
static void print_command(const summary *s)
{
  const char *script = getenv("STRATA_SCRIPT"); /* crawl.sh, for people who have no strata to call */
  bool has_secrets = false;
  fputs("  To go on:", stderr);
  if (script)
    shell_word_print(script);
  else
    fputs(is_named_audit(s, script) ? " strata audit" : " strata crawl", stderr);
  fputs(" --dir", stderr);
  shell_word_print(s->directory);
  for (int i = 0; i < s->args->option_word_count; i++) {
    bool has_value;
    const char *word = s->args->option_words[i];
    const crawl_secret *secret = secret_in(s->args, word);
    if (secret)
      has_secrets = print_hidden(word, secret);
    else if (is_dropped(word, s->end, &has_value))
      i += has_value;
    else if (strcmp(word, "--") != 0 && !(is_named_audit(s, script) && strcmp(word, "--audit") == 0))
      shell_word_print(word);
  }
  putc('\n', stderr);
  if (has_secrets)
    fputs("  " SECRET " stands for what is not repeated here: passwords, values of headers\n", stderr);
}

/* " 12 robots" or ", 12 robots", if there are any. */
static void print_count(const frontier *f, const char *name, const char *title, bool *any)
{
  char count[SAY_SIZE];
  uint64_t value = frontier_counter(f, name);
  if (!value)
    return;
  fprintf(stderr, "%s %s %s", *any ? "," : title, say_count(value, count), strchr(name, '-') + 1);
  *any = true;
}

static void print_failed(const summary *s)
{
  bool any = false;
  for (size_t i = 0; failures_counter_at(i); i++)
    print_count(s->frontier, failures_counter_at(i), "  Failed:", &any);
  if (any && s->directory) {
    fputs("; to see them: strata export", stderr);
    shell_word_print(s->directory);
    fputs(" --state failed", stderr);
  }
  if (any)
    putc('\n', stderr);
}

/* The first one by its name, if it was in this run. */
static void print_maps(const summary *s)
{
  char text[SAY_SIZE], shown[4 * FRONTIER_MESSAGE_SIZE];
  uint64_t count = frontier_counter(s->frontier, "sitemaps-failed");
  if (!count)
    return;
  fprintf(stderr, "  Sitemaps: %s failed", say_count(count, text));
  if (*s->map_failure)
    fprintf(stderr, "%s: %s", count > 1 ? ", the first" : "", shown_text(s->map_failure, shown, sizeof shown));
  if (s->directory && (count > 1 || !*s->map_failure)) {
    fprintf(stderr, "; to see %s: strata export", count > 1 ? "them" : "it");
    shell_word_print(s->directory);
    fputs(" --state failed", stderr);
  }
  fprintf(stderr, "%s\n",
          !s->directory ? ""
          : count > 1   ? "; --retry-failed asks for them again"
                        : "; --retry-failed asks for it again");
}

static void print_skipped(const frontier *f)
{
  bool any = false;
  for (int i = 0; i < CRAWL_SKIPS; i++)
    print_count(f, crawl_skip_name((crawl_skip)i), "  Links not taken:", &any);
  if (any)
    putc('\n', stderr);
}

/* What is held back, and how to see it, or to have it. */
static void print_held(const summary *s, const lacks_rest *rest)
{
  char count[SAY_MANY_SIZE];
  uint64_t held = rest->held, private = rest->not_public;
  if (private)
    fprintf(stderr, "  Waiting: %s whose address is not public; --allow-private fetches %s\n",
            say_many(private, "URL", count), private == 1 ? "it" : "them");
  if (!held)
    return;
  fprintf(stderr, "  Held back: %s that look%s like a trap's (--trap-budget, --domain-budget)",
          say_many(held, "URL", count), held == 1 ? "s" : "");
  if (s->directory) {
    fputs("; to see them: strata stat", stderr);
    shell_word_print(s->directory);
    fputs(" --traps", stderr);
  }
  putc('\n', stderr);
}

/* What their pages lead to comes last, and under the budget. */
static void print_suspects(const summary *s)
{
  char count[SAY_SIZE];
  uint64_t suspects = frontier_counter(s->frontier, "suspect-directories");
  if (!suspects || !s->directory)
    return;
  fprintf(stderr, "  Suspect: %s director%s whose pages nearly all say the same; to see them: strata stat",
          say_count(suspects, count), suspects == 1 ? "y" : "ies");
  shell_word_print(s->directory);
  fputs(" --traps\n", stderr);
}

/* What waits and what is held back has lines of its own. */
static void print_missing(missing m)
{
  char text[MISSING_SENTENCE];
  m.rest = (lacks_rest){0};
  for (size_t i = 0; missing_sentence(&m, i, text); i++)
    fprintf(stderr, "  Missing: %s\n", text);
}

/* Only with exact. */
static void print_late(const frontier_stats *stats)
{
  char late[SAY_LATE_SIZE];
  if (stats->unconfirmed + stats->late)
    fprintf(stderr, "  %s\n", say_late(stats->unconfirmed, stats->late, late));
}

/* Nothing is missing as far as a crawler sees, which reads no scripts. */
static void print_shells(const summary *s)
{
  char count[SAY_MANY_SIZE];
  uint64_t shells = frontier_counter(s->frontier, "script-shells");
  if (shells)
    fprintf(stderr,
            "  Scripts: %s%s only an empty shell for a script, which strata does not run: what a browser shows\n"
            "    there was not seen; --sitemaps guess, or URLs of the pages behind it, may lead on\n",
            say_many(shells, "page", count), shells == 1 ? " is" : " are each");
}

/* Pages that say what another says, and how to see them. */
static void print_near(const summary *s)
{
  char count[SAY_SIZE];
  uint64_t near = frontier_counter(s->frontier, "near-duplicates");
  if (!near || !s->directory)
    return;
  fprintf(stderr, "  Near-duplicates: %s page%s what another one says; to see them: strata report",
          say_count(near, count), near == 1 ? " says" : "s say");
  shell_word_print(s->directory);
  putc('\n', stderr);
}

static void print_totals(const summary *s)
{
  char a[SAY_MANY_SIZE], b[SAY_MANY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE], e[SAY_MANY_SIZE], r[SAY_MANY_SIZE];
  const crawl_totals *run = &s->run;
  const frontier_stats *stats = &s->stats;
  double rate = run->seconds > 0 ? (double)run->pages / run->seconds : 0;
  fprintf(stderr, "  %s, %s in %s (%s/s); %s, %s\n", say_many(run->pages, "page", a), say_bytes(run->body_bytes, b),
          say_seconds(run->seconds, c), say_many((uint64_t)(rate + 0.5), "page", r),
          say_many(run->redirects, "redirect", d), say_many(run->errors, "error", e));
  uint64_t waiting = stats->queued + stats->in_flight, ended = stats->done + stats->failed + stats->skipped;
  fprintf(stderr, "  In all: %s, %s known, %s of them waiting, %s\n",
          say_many(frontier_counter(s->frontier, "pages"), "page", a), say_many(waiting + ended, "URL", b),
          say_count(waiting, c), say_many(stats->hosts, "host", d));
}

/* Of pages; a robots.txt that may not be fetched counts as a request. */
static bool has_asked(const crawl_totals *run)
{
  return run->pages + run->redirects + run->errors + run->asked_again > 0;
}

/* A start URL may have been named that was fetched before. */
static void print_nothing_asked(const summary *s)
{
  if (s->end == CRAWL_FINISHED && s->stats.done && !s->stats.queued && !has_asked(&s->run) && !s->run.robots &&
      !s->args->crawl.recrawl_least_s)
    fputs("  Nothing was left to fetch; --recrawl-after AGE fetches pages again, --retry-failed what failed\n", stderr);
}

/* What it asked for once more, and what came of it. Of pages that wait nobody knows here which are old. */
static void print_again(const summary *s, const lacks_rest *rest)
{
  char a[SAY_MANY_SIZE], b[SAY_SIZE], c[SAY_SIZE], d[SAY_SIZE];
  const crawl_totals *run = &s->run;
  if (!run->asked_again && !s->args->crawl.recrawl_least_s)
    return;
  if (!run->asked_again) {
    bool waits = rest->waiting + rest->held + rest->not_public > 0;
    fprintf(stderr, "  Recrawl: %s asked for again\n",
            waits ? "no page was" : "no page is older than --recrawl-after yet; none was");
    return;
  }
  fprintf(stderr, "  Recrawl: asked for %s again: %s unchanged, %s changed, %s failed\n",
          say_many(run->asked_again, "page", a), say_count(run->unchanged, b),
          say_count(run->asked_again - run->unchanged - run->failed_again, c), say_count(run->failed_again, d));
}

/* The command that goes on without the list would lose the rest of it. */
static void print_starts(const frontier_stats *stats)
{
  char count[SAY_MANY_SIZE];
  uint64_t queued = stats->queued + stats->in_flight;
  say_note("  Not all start URLs are read: %s %s queued, none was fetched in this run; the same command reads the rest",
           say_many(queued, "URL", count), queued == 1 ? "is" : "are");
}

/* Is there anything that the same command would fetch? */
static bool has_more(const summary *s, const lacks_rest *rest)
{
  return s->stats.queued + s->stats.in_flight + s->stats.unconfirmed > rest->not_public;
}

void summary_print(const summary *s)
{
  const frontier_stats *stats = &s->stats;
  missing m = missing_read(s->frontier, stats);
  fprintf(stderr, "%s.\n", text_of_end(s, &m));
  print_totals(s);
  print_nothing_asked(s);
  print_again(s, &m.rest);
  print_late(stats);
  if (*s->start_failure)
    say_note("  Start URL without a page: %s", s->start_failure);
  print_failed(s);
  print_maps(s);
  print_skipped(s->frontier);
  print_missing(m);
  print_held(s, &m.rest);
  print_suspects(s);
  print_shells(s);
  print_near(s);
  if (!s->directory)
    return;
  say_note("  What was fetched: %s/pages.jsonl", s->directory);
  if (s->lacks_starts)
    print_starts(stats);
  else if (has_more(s, &m.rest))
    print_command(s);
}

void summary_say_waiting(const summary *s)
{
  char count[SAY_MANY_SIZE];
  uint64_t private = missing_read(s->frontier, &s->stats).rest.not_public;
  if (private && !has_asked(&s->run))
    say_error("crawl", "nothing was fetched: %s wait%s whose address is not public; --allow-private fetches %s",
              say_many(private, "URL", count), private == 1 ? "s" : "", private == 1 ? "it" : "them");
}

/* ---- for programs --------------------------------------------------------------------------------------- */

static void put_filter(const frontier *f, const frontier_stats *stats, json *out)
{
  json_begin_object(out, "filter");
  json_put_string(out, "kind", mlbf_kind_name(stats->filter.kind));
  json_put_bool(out, "exact", frontier_is_exact(f));
  json_put_rate(out, "fp", stats->filter.promised_rate);
  json_put_number(out, "keys", stats->filter.keys);
  json_put_number(out, "design_keys", stats->filter.design_keys);
  json_put_number(out, "bits", stats->filter.bits);
  json_put_number(out, "memory_bytes", stats->filter.memory_bytes);
  json_put_real(out, "fill", stats->filter.fill, 6);
  json_put_rate(out, "expected_lost", stats->expected_lost);
  json_end(out);
}

void summary_counters(frontier *f, const frontier_stats *stats, json *out)
{
  char profile[URL_PROFILE_NAME_SIZE];
  missing m = missing_read(f, stats);
  url_profile_name(stats->profile, profile);
  json_put_string(out, "profile", profile);
  missing_json(&m, out);
  json_put_number(out, "queued", stats->queued + stats->in_flight);
  json_put_number(out, "done", stats->done);
  json_put_number(out, "failed", stats->failed);
  json_put_number(out, "skipped", stats->skipped);
  json_put_number(out, "hosts", stats->hosts);
  json_put_number(out, "unconfirmed", stats->unconfirmed);
  json_put_number(out, "late", stats->late);
  json_begin_object(out, "verdicts");
  for (int i = 0; i < FRONTIER_OUTCOMES; i++)
    json_put_number(out, frontier_outcome_name((frontier_outcome)i), stats->outcomes[i]);
  json_end(out);
  json_begin_object(out, "counters");
  const char *name;
  uint64_t value;
  for (size_t i = 0; frontier_counter_at(f, i, &name, &value); i++)
    json_put_number(out, name, value);
  json_end(out);
  put_filter(f, stats, out);
}

void summary_json(const summary *s, json *out)
{
  json_begin(out);
  json_put_string(out, "end", end_names[s->end]);
  json_put_string(out, "directory", s->directory ? s->directory : "");
  json_put_number(out, "pages", s->run.pages);
  json_put_number(out, "redirects", s->run.redirects);
  json_put_number(out, "errors", s->run.errors);
  json_put_number(out, "asked_again", s->run.asked_again);
  json_put_number(out, "unchanged", s->run.unchanged);
  json_put_number(out, "robots_requests", s->run.robots);
  json_put_number(out, "wire_bytes", s->run.wire_bytes);
  json_put_number(out, "body_bytes", s->run.body_bytes);
  json_put_real(out, "seconds", s->run.seconds, 3);
  json_put_bool(out, "confined", s->is_confined);
  summary_counters(s->frontier, &s->stats, out);
  json_end(out);
}
