/* The URLs that strata uniq has seen: all of them (in a chain of filters, which grows, or as a hash of every key), or
 * those of a window. */
#ifndef STRATA_CRAWLER_UNIQ_MEMORY_H
#define STRATA_CRAWLER_UNIQ_MEMORY_H

#include "crawler/base/json.h"
#include "frontier/url.h"
#include "mlbf/chain.h"
#include "mlbf/key_set.h"
#include "mlbf/window.h"

/* What was asked for; what was asked for by name must be what a state was made with. */
typedef struct uniq_settings {
  mlbf_options filter;
  mlbf_window_options window; /* unit 0: none */
  url_profile profile;
  char profile_name[URL_PROFILE_NAME_SIZE];
  bool exact;                        /* every key's hash, and `filter` is of no use */
  uint8_t secret[MLBF_SECRET_BYTES]; /* of --secret, if secret_given; else a new state draws one and holds it */
  bool secret_given;
  bool filter_given, rate_given, profile_given, expect_given;
} uniq_settings;

typedef struct uniq_memory {
  mlbf_chain *chain; /* one of the three */
  mlbf_epoch *window;
  mlbf_key_set *keys;
  bool is_changed; /* since it was loaded or saved */
} uniq_memory;

/* From the file `state`, or new if there is none or `state` is NULL; `settings->profile` is then the one to use.
 * False: the reason was said. */
bool uniq_memory_open(uniq_settings *settings, const char *state, uniq_memory *memory);
void uniq_memory_free(uniq_memory *memory);

/* The keys of some URLs: whole, and cut into segments. */
enum { UNIQ_LOT = 32 };
typedef struct uniq_keys {
  size_t count;
  mlbf_span texts[UNIQ_LOT];
  mlbf_key keys[UNIQ_LOT]; /* of the same bytes */
} uniq_keys;

/* Are they new? And remember them, in their order: memory is fetched for all of them together. On failure the first
 * `*done` have their verdicts. */
mlbf_status uniq_memory_judge(uniq_memory *memory, const uniq_keys *keys, mlbf_verdict verdicts[UNIQ_LOT],
                              size_t *done);

/* The file `state` is replaced as a whole, with mode 0600, or left as it was. */
mlbf_status uniq_memory_save(uniq_memory *memory, const char *state);

/* What is remembered and how well, as members of an open object. */
void uniq_memory_describe(const uniq_memory *memory, json *text);

/* A window that holds more URLs than it was made for drops more new ones than promised: say so. */
void uniq_memory_warn(const uniq_memory *memory);

#endif
