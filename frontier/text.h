/* frontier/text.h: links as they stand in a page, thousands in one call.
 *
 *     hrefs --url_resolve--> URLs --filter--> those wanted --frontier_add_batch--> verdicts, ids
 *
 * The caller keeps no `url` and parses nothing: it gives a page's base and hrefs, and gets an answer for each. URLs are
 * resolved with the profile of the directory, and looked up together. A call takes 60 KB of memory, whatever the number
 * of links; it may add thousands of them.
 *
 * Threads: as frontier.h, but resolving and filter run while other threads use the handle; links of two calls
 * may be taken in turns, 32 at a time. */
#ifndef STRATA_FRONTIER_TEXT_H
#define STRATA_FRONTIER_TEXT_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A link; the caller's memory, not kept. All but the href may be zero. */
typedef struct frontier_text {
  const char *href; /* as for url_resolve; need not be NUL-terminated */
  size_t href_size;
  const mlbf_span *key; /* the caller's own key, as in frontier_link; NULL: the URL's */
  size_t key_count;
  const void *payload; /* as in frontier_link */
  size_t payload_size;
  frontier_origin origin;
  const char *group; /* the queue it waits in, in place of its host's: as in frontier_link */
  size_t group_size;
  int32_t priority;       /* larger ones first within host or group; the order of equals is that of frontier_link */
  bool is_opaque;         /* `href` is the opaque target, of which no rule is asked; it needs a key and a group */
  uint64_t not_before_ms; /* not leased before this wall-clock time, and then as frontier_link says; 0: at once */
} frontier_text;

/* What became of it: it is no URL, or the filter refused it, or it has a verdict. */
typedef struct frontier_answer {
  url_status url; /* other than URL_OK: why it is no URL */
  int refused;    /* the filter's word; 0: it was not refused */
  frontier_verdict verdict;
  uint64_t id; /* of the URL that was queued, as in its lease; 0: none was */
} frontier_answer;

/* Is the URL of texts[index] to be added? 0: yes; any other number comes back in the answer. It is called for each text
 * that is a URL, in order, before URLs of the same call are looked up; again for up to 32 of them if the call fails and
 * is repeated. `target` is valid during the call. It must not use the handle. */
typedef int frontier_text_filter(void *context, size_t index, const url *target);

/* Of all texts of a call. Zero is fine. */
typedef struct frontier_text_rules {
  const url_base *base;         /* NULL: hrefs are absolute */
  frontier_text_filter *accept; /* NULL: every URL is added */
  void *context;
} frontier_text_rules;

/* url_resolve and frontier_add for each text, in order; of equal keys only the first is new. `rules` NULL: hrefs are
 * absolute, every URL is added. On failure the first `*settled` texts were processed and have their answers; the rest
 * may be tried again. FRONTIER_BAD_ARGUMENT: as frontier_add_batch, of the next text. */
static inline frontier_status frontier_add_texts(frontier *f, const frontier_text_rules *rules,
                                                 const frontier_text *texts, size_t count, uint64_t now_ms,
                                                 frontier_answer *answers, size_t *settled);

/* The same with the sizes that the structs have in the caller's build, which are the distances from one text, or
 * answer, to the next: fields of rules and texts beyond them are zero, fields of answers beyond them are not written.
 * frontier_add_texts passes them; callers in other languages do so themselves. FRONTIER_BAD_ARGUMENT if the caller sets
 * a field that this library does not have. */
frontier_status frontier_add_texts_sized(frontier *f, const frontier_text_rules *rules, size_t rules_size,
                                         const frontier_text *texts, size_t text_size, size_t count, uint64_t now_ms,
                                         frontier_answer *answers, size_t answer_size, size_t *settled);

static inline frontier_status frontier_add_texts(frontier *f, const frontier_text_rules *rules,
                                                 const frontier_text *texts, size_t count, uint64_t now_ms,
                                                 frontier_answer *answers, size_t *settled)
{
  return frontier_add_texts_sized(f, rules, sizeof *rules, texts, sizeof *texts, count, now_ms, answers,
                                  sizeof *answers, settled);
}

#ifdef __cplusplus
}
#endif
#endif
