#ifndef STRATA_GLUE_H
#define STRATA_GLUE_H

#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/text.h"
#include "mlbf/chain.h"
#include "mlbf/plan.h"

/* A link without its bytes, which are target, key, payload and group, one behind the other. struct.pack("=4I3i4x2Q"). */
typedef struct glue_link {
  uint32_t target_size, key_size, payload_size, group_size;
  int32_t priority, is_opaque, depth;
  uint64_t not_before_ms, via;
} glue_link;

typedef struct glue_answer {
  uint64_t id;
  int32_t url, outcome; /* url_status; frontier_outcome */
} glue_answer;

/* frontier_add_texts; the bytes of all links stand one behind the other. */
static frontier_status glue_add(frontier *f, const url_base *base, const glue_link *links, size_t count,
                                const char *bytes, uint64_t now_ms, glue_answer *answers, size_t *settled);

/* A link and what it points to. */
typedef struct glue_one {
  url target;
  mlbf_span key;
  frontier_link link;
  url_profile profile; /* given */
} glue_one;

static url_status glue_target(const glue_link *from, const char *bytes, glue_one *one);

/* Was this key of the caller's own seen? 1: yes, 0: no; else the status, times -1. */
static int glue_knows(frontier *f, const char *key, size_t size);

/* Tests or inserts keys that stand one behind the other. On failure those before it were inserted. */
static mlbf_status glue_chain_keys(mlbf_chain *chain, const char *bytes, const uint32_t *sizes, size_t count,
                                   bool is_insert, uint8_t *was_new);

#endif
