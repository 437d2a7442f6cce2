/* See metrics.h. https://prometheus.io/docs/instrumenting/exposition_formats: a HELP and a TYPE line, then the samples;
 * base units; a counter's name ends in _total. Counters are of this run, as a program that starts anew begins at 0;
 * gauges are of the directory. */
#include "crawler/report/metrics.h"

#include "crawler/base/utf8.h"
#include "frontier/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
  fprintf(out, "# HELP strata_%s %s\n# TYPE strata_%s %s\n", name, help, name, type);
}

static void put_one(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
  put_head(out, name, type, help);
  fprintf(out, "strata_%s %" PRIu64 "\n", name, value);
}

static void put_real(FILE *out, const char *name, const char *help, double value)
{
  put_head(out, name, "gauge", help);
  fprintf(out, "strata_%s %.15g\n", name, value);
}

static void put_of(FILE *out, const char *name, const char *label, const char *word, uint64_t value)
{
  fprintf(out, "strata_%s{%s=\"%s\"} %" PRIu64 "\n", name, label, word, value);
}

/* As a label's value: UTF-8, with three bytes escaped. What is no UTF-8 becomes a question mark. */
static void put_label(FILE *out, const char *value)
{
  for (size_t size; *value; value += size) {
    size = (unsigned char)*value < 0x80 ? 1 : utf8_sequence(value);
    if (*value == '\\' || *value == '"')
      fprintf(out, "\\%c", *value);
    else if (*value == '\n')
      fputs("\\n", out);
    else
      fprintf(out, "%.*s", size ? (int)size : 1, size ? value : "?");
    size += !size;
  }
}

static void put_run(FILE *out, const metrics *m)
{
  crawl_totals run = crawl_totals_read(m->crawl);
  put_one(out, "pages_total", "counter", "Pages fetched: 2xx responses with a body.", run.pages);
  put_one(out, "redirects_total", "counter", "Redirect responses.", run.redirects);
  put_one(out, "retries_total", "counter", "Requests repeated after a temporary error.", run.retries);
  put_one(out, "robots_requests_total", "counter", "Requests for a robots.txt.", run.robots);
  put_one(out, "received_bytes_total", "counter", "Bytes of bodies as received.", run.wire_bytes);
  put_one(out, "body_bytes_total", "counter", "Bytes of bodies, decoded.", run.body_bytes);
  put_head(out, "fetch_errors_total", "counter", "URLs that failed, with no try left, by reason.");
  for (size_t i = 0; failures_counter_at(i); i++)
    put_of(out, "fetch_errors_total", "reason", failures_counter_at(i) + strlen("failed-"),
           crawl_failures(m->crawl)->of_kind[i]);
  put_head(out, "revisits_total", "counter", "Pages fetched before that were asked for again, by result.");
  put_of(out, "revisits_total", "result", "unchanged", run.unchanged);
  put_of(out, "revisits_total", "result", "changed", run.asked_again - run.unchanged - run.failed_again);
  put_of(out, "revisits_total", "result", "failed", run.failed_again);
  put_one(out, "active_urls", "gauge", "URLs being fetched, or waiting for their robots.txt.", run.active);
  put_one(out, "paused", "gauge", "1 while the crawl pauses as the disk takes no more.", *crawl_outage(m->crawl) != 0);
}

static void put_directory(FILE *out, const metrics *m, const frontier_stats *s)
{
  put_one(out, "queue_urls", "gauge", "URLs that wait, or are in flight.", s->queued + s->in_flight);
  put_one(out, "held_urls", "gauge", "URLs of the queue that are held back: by a budget, or as not public.",
          frontier_held(m->frontier));
  put_one(out, "unconfirmed_links", "gauge", "With --filter exact, links that wait to be confirmed.", s->unconfirmed);
  put_one(out, "hosts", "gauge", "Hosts known.", s->hosts);
  put_head(out, "ended_urls", "gauge", "URLs that have ended, by state; one that is fetched again waits.");
  put_of(out, "ended_urls", "state", "done", s->done);
  put_of(out, "ended_urls", "state", "failed", s->failed);
  put_of(out, "ended_urls", "state", "skipped", s->skipped);
  put_head(out, "links_total", "counter", "Links in scope, by the filter's verdict; over all runs.");
  for (int i = 0; i < FRONTIER_OUTCOMES; i++)
    put_of(out, "links_total", "verdict", frontier_outcome_name((frontier_outcome)i), s->outcomes[i]);
  put_one(out, "filter_keys", "gauge", "URLs in the filter.", s->filter.keys);
  put_one(out, "filter_design_keys", "gauge", "URLs that the filter is made for; beyond them it grows.",
          s->filter.design_keys);
  put_one(out, "filter_bytes", "gauge", "Memory of the filter.", s->filter.memory_bytes);
  put_real(out, "filter_fill_ratio", "Share of the filter's bits that are set.", s->filter.fill);
  put_real(out, "lost_urls", "Expected number of URLs wrongly called seen.", s->expected_lost);
}

char *metrics_text(const metrics *m, size_t *size)
{
  char *text = NULL;
  frontier_stats stats;
  FILE *out = frontier_stats_read(m->frontier, &stats) == FRONTIER_OK ? open_memstream(&text, size) : NULL;
  if (!out)
    return NULL;
  put_head(out, "info", "gauge", "1; the labels name the version and the crawl's directory.");
  fputs("strata_info{version=\"" STRATA_VERSION "\",directory=\"", out);
  put_label(out, m->directory);
  fputs("\"} 1\n", out);
  put_real(out, "start_time_seconds", "When the run began, of the Unix epoch.", (double)m->began_ms / 1000);
  put_run(out, m);
  put_directory(out, m, &stats);
  bool is_written = !ferror(out);
  is_written = fclose(out) == 0 && is_written;
  if (!is_written) {
    free(text);
    text = NULL;
  }
  return text;
}
