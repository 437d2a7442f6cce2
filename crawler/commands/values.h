/* Values of options: numbers, durations, rates. Each refusal is one sentence on stderr that names the option and what
 * stood there; the output is untouched then. */
#ifndef STRATA_CRAWLER_VALUES_H
#define STRATA_CRAWLER_VALUES_H

#include "mlbf/filter.h"

#include <stdbool.h>
#include <stdint.h>

/* "strata COMMAND: --OPTION "VALUE": WANTED"; always false. */
bool value_refuse(const char *command, const char *option, const char *value, const char *wanted);

/* A whole number in [low, high]; with `units`, K, M or G (powers of 1024) may follow. */
bool value_number(const char *command, const char *option, const char *text, uint64_t low, uint64_t high, bool units,
                  uint64_t *value);

bool value_number_read(const char *text, uint64_t low, uint64_t high, bool units, uint64_t *value); /* without words */

/* Seconds, with a fraction if need be, from `low` to 10^9. */
bool value_milliseconds(const char *command, const char *option, const char *text, double low, uint64_t *ms);

/* A whole number of s, m, h, d or w, such as 90s or 7d: at least one second, at most a hundred years. */
bool value_duration(const char *command, const char *option, const char *text, uint64_t *ms);

bool value_kind_read(const char *text, mlbf_kind *kind); /* mlbf, bloom or line; without words */

/* A secret for filters, from the file of this name (mlbf_secret_read). */
bool value_secret(const char *command, const char *option, const char *path, uint8_t secret[MLBF_SECRET_BYTES]);

/* A false-positive rate, 1e-12 to 0.5. */
bool value_rate(const char *command, const char *option, const char *text, double *rate);

#endif
