/* datasets/replay/cut.h: one key, cut into segments in two ways.
 *
 * A key is that of the profile `path-paper`, "//host/a/b?x&y": the scheme is dropped. All filters of a run see
 * the same bytes, so that "is a member" means one thing; where the key is cut differs:
 *
 *     CUT_PAPER    "//host" "/a" "/b?x&y"          at '/' only, as the seed paper has it
 *     CUT_LAYERS   "//host" "/a" "/b" "?x" "&y"    at '/', from '?' on at '&', as the frontier does
 *
 * At most MLBF_LAYERS_MAX segments; the last takes the rest. */
#ifndef STRATA_DATASETS_CUT_H
#define STRATA_DATASETS_CUT_H

#include "mlbf/filter.h"

typedef enum key_cut { CUT_PAPER, CUT_LAYERS } key_cut;
enum { CUT_COUNT = 2 };

/* Cut `key`, which begins with "//"; the number of segments, at least 1. The spans point into `key`. */
size_t cut_key(key_cut how, const char *key, size_t size, mlbf_span segments[MLBF_LAYERS_MAX]);

#endif
