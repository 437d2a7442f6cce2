/* What became of a URL after it was accepted: 8 bytes in table `ended`, in the order in which it became so; later 4
 * bytes in table `states`, by sequence. FORMAT.md, "ended" and "states". */
#ifndef STRATA_FRONTIER_URL_STATE_H
#define STRATA_FRONTIER_URL_STATE_H

#include "frontier/frontier.h"

/* 0: nothing: it waits, or is in flight. 1 to 4: frontier_state, it ended. */
enum {
  URL_WAITS = 0,
  URL_WAITS_AGAIN = 5, /* it waits, and its row is in table `again` */
  URL_STATES,
};

typedef struct url_state {
  uint8_t what;
  bool was_trap; /* it ended as one of class TRAP */
  uint16_t code;
} url_state;

/* A row of `ended`. Sequences have 44 bits: 1.7 * 10^13. */
enum { URL_SEQUENCE_BITS = 44, ENDED_ROW = 8, STATE_ROW = 4 };

static inline uint32_t url_state_pack(url_state s)
{
  return s.code | (uint32_t)s.what << 16 | (uint32_t)s.was_trap << 19;
}

static inline url_state url_state_unpack(uint32_t bits)
{
  return (url_state){
    .what = (uint8_t)(bits >> 16 & 7), .was_trap = (bits >> 19 & 1) != 0, .code = (uint16_t)(bits & UINT16_MAX)};
}

static inline uint64_t url_ended_pack(uint64_t sequence, url_state s)
{
  return sequence << (64 - URL_SEQUENCE_BITS) | url_state_pack(s);
}

static inline uint64_t url_ended_sequence(uint64_t row)
{
  return row >> (64 - URL_SEQUENCE_BITS);
}

static inline url_state url_ended_state(uint64_t row)
{
  return url_state_unpack((uint32_t)(row & ((UINT64_C(1) << (64 - URL_SEQUENCE_BITS)) - 1)));
}

static inline bool url_state_is_ended(url_state s)
{
  return s.what >= FRONTIER_DONE && s.what <= FRONTIER_NOTED;
}

#endif
