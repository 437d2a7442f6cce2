#include "datasets/replay/results.h"
#include "frontier/base/own_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command may have quotes in it (RFC 4180). */
static void print_name(FILE *csv, const char *name)
{
  bool is_quoted = strpbrk(name, ",\"\r\n") != NULL;
  fputs(is_quoted ? "\"" : "", csv);
  for (; *name != '\0'; name++)
    fprintf(csv, *name == '"' ? "\"\"" : "%c", *name);
  fputs(is_quoted ? "\"" : "", csv);
}

static void print_row(FILE *csv, const replay_result *row)
{
  double per_query = row->queries == 0 ? 0 : (double)row->false_positives / (double)row->queries;
  fprintf(csv, "%s,", protocol_name(row->protocol));
  print_name(csv, row->filter);
  fprintf(csv, ",%llu,", (unsigned long long)row->n);
  if (row->is_program)
    fputs(",", csv);
  else
    fprintf(csv, "%llu,%.3f", (unsigned long long)row->bits, (double)row->bits / (double)row->n);
  fprintf(csv, ",%llu,%llu,%.9g,%llu,%.1f,%.1f\n", (unsigned long long)row->queries,
          (unsigned long long)row->false_positives, per_query, (unsigned long long)row->false_negatives, row->insert_ns,
          row->query_ns);
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
  fputs("protocol,filter,n,bits_total,bits_per_url,queries,false_positives,fp_rate,false_negatives,"
        "insert_ns,query_ns\n",
        csv);
  for (size_t i = 0; i < results->count; i++)
    print_row(csv, &results->rows[i]);
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
