/* See results.h. Always: a rate is per query that is no member, in the file per query. Called by report, claims and
 * `strata replay`. */
#include "datasets/replay/results.h"
#include "datasets/replay/table.h"
#include "frontier/base/own_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const table_column columns[] = {
  {"protocol", TABLE_TEXT, NULL, TABLE_NONE},
  {"filter", TABLE_TEXT, NULL, TABLE_NONE},
  {"n", TABLE_WHOLE, NULL, TABLE_NONE},
  {"bits_total", TABLE_WHOLE, NULL, TABLE_NONE},
  {"bits_per_url", TABLE_FIXED(3), NULL, TABLE_NONE},
  {"queries", TABLE_WHOLE, NULL, TABLE_NONE},
  {"false_positives", TABLE_WHOLE, NULL, TABLE_NONE},
  {"fp_rate", TABLE_GENERAL(9), NULL, TABLE_NONE},
  {"false_negatives", TABLE_WHOLE, NULL, TABLE_NONE},
  {"insert_ns", TABLE_FIXED(1), NULL, TABLE_NONE},
  {"query_ns", TABLE_FIXED(1), NULL, TABLE_NONE},
};

static void print_row(const table *csv, const replay_result *row)
{
  double per_query = row->queries == 0 ? 0 : (double)row->false_positives / (double)row->queries;
  table_row(csv, (table_cell[]){
                   TABLE_WORDS(protocol_name(row->protocol)),
                   TABLE_WORDS(row->filter),
                   TABLE_NUMBER(row->n),
                   row->is_program ? TABLE_EMPTY : TABLE_NUMBER(row->bits),
                   row->is_program ? TABLE_EMPTY : TABLE_NUMBER((double)row->bits / (double)row->n),
                   TABLE_NUMBER(row->queries),
                   TABLE_NUMBER(row->false_positives),
                   TABLE_NUMBER(per_query),
                   TABLE_NUMBER(row->false_negatives),
                   TABLE_NUMBER(row->insert_ns),
                   TABLE_NUMBER(row->query_ns),
                 });
}

bool results_write(const replay_results *results, const char *directory)
{
  char *path;
  if (asprintf(&path, "%s/results.csv", directory) < 0)
    return false;
  FILE *csv = own_file_stream(path, "w", 0666);
  free(path);
  if (csv == NULL)
    return false;
  table rows = {.csv = csv, TABLE_COLUMNS(columns)};
  table_begin(&rows);
  for (size_t i = 0; i < results->count; i++)
    print_row(&rows, &results->rows[i]);
  bool is_written = ferror(csv) == 0;
  return fclose(csv) == 0 && is_written;
}

const replay_result *results_find(const replay_results *results, protocol which, const char *filter, uint64_t n)
{
  for (size_t i = 0; i < results->count; i++) {
    const replay_result *row = &results->rows[i];
    if (row->protocol == which && row->n == n && strcmp(row->filter, filter) == 0)
      return row;
  }
  return NULL;
}

double results_rate(const replay_result *row)
{
  uint64_t strangers = row->queries - row->members;
  return strangers == 0 ? 0 : (double)row->false_positives / (double)strangers;
}

void results_interval(const replay_result *row, double z, double *low, double *high)
{
  double n = (double)(row->queries - row->members), rate = results_rate(row);
  *low = 0;
  *high = 1;
  if (n == 0)
    return;
  double middle = (rate + z * z / (2 * n)) / (1 + z * z / n);
  double half = z / (1 + z * z / n) * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
  *low = row->false_positives ? fmax(middle - half, 0) : 0; /* not what rounding leaves of it */
  *high = fmin(middle + half, 1);
}

/* Probability of so many events or more where `mean` are expected. */
static double poisson_tail(double mean, uint64_t events)
{
  if (mean > 500) /* where e^-mean would vanish, the normal law is near enough */
    return 0.5 * erfc(((double)events - 0.5 - mean) / sqrt(2 * mean));
  double term = exp(-mean), below = 0;
  for (uint64_t i = 0; i < events; i++) {
    below += term;
    term *= mean / (double)(i + 1);
  }
  return 1 - below;
}

double results_chance(const replay_result *row)
{
  return poisson_tail(row->promised_rate * (double)(row->queries - row->members), row->false_positives);
}

bool results_is_by_chance(const replay_result *row)
{
  return row->promised_rate > 0 && results_rate(row) > row->promised_rate && results_chance(row) > 0.05;
}

const char *results_events_text(const replay_result *row, char text[RESULTS_EVENTS_SIZE])
{
  if (row->false_positives == 1)
    return "one event";
  snprintf(text, RESULTS_EVENTS_SIZE, "%llu events", (unsigned long long)row->false_positives);
  return text;
}
