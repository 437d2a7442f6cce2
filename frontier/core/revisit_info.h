/* Visits: when a URL was fetched last, its validators and a hash of its content. Records of the tables `visits` and
 * `due` (FORMAT.md); private to this room.
 *
 * The URL itself is in table `text`. */
#ifndef STRATA_FRONTIER_REVISIT_INFO_H
#define STRATA_FRONTIER_REVISIT_INFO_H

#include "frontier/hosts/entry.h"
#include "frontier/recrawl.h"
#include "frontier/store/store.h"

/* A record to be: of an entry, with its ending; or of a URL at rest. */
struct visit_note {
  uint64_t sequence;
  size_t size;
  uint32_t due_s, old_due_s; /* old: the place in `due` to be given up, 0: none */
  uint8_t body[];
};

/* A record taken apart. */
typedef struct seen_visit {
  uint64_t sequence;
  uint32_t interval_s, due_s;
  frontier_visit visit;
  frontier_class class;
  frontier_state state; /* how it ended */
  bool is_queued;       /* it was due, and waits again: it has no place in `due` */
} seen_visit;

enum { BOUNDS_SIZE = 16 }; /* of meta "recrawl": the least and the most a page rests */

/* Points into `body`. false: damaged. */
bool visits_read(uint64_t sequence, const uint8_t *body, size_t size, seen_visit *out);
/* NOT_FOUND, or a copy of the record in *body, to be freed, which *out points into. */
frontier_status visits_find(frontier *f, uint64_t sequence, uint8_t **body, seen_visit *out);

uint64_t visits_within(uint64_t value, uint64_t least, uint64_t most);
uint32_t visits_due(uint64_t at_s, uint32_t interval_s);

/* Due first is first; of one second, in order of the id's low half: see visits_put. */
static inline uint64_t visits_due_key(uint32_t due_s, uint64_t sequence)
{
  return (uint64_t)due_s << 32 | (uint32_t)sequence;
}

/* A note of what stands in *v. NULL: no memory. */
visit_note *visits_note_create(const seen_visit *v);
void visits_note_ended(visit_note *note, frontier_state state); /* of a URL that was in flight */

/* With the transaction, into both tables. Once ids have more than 32 bits, two URLs may want one key of `due`: the
 * second one is due a second later, and so on. */
void visits_put(frontier *f, visit_note *note);

#endif
