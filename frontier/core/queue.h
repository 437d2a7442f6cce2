/* The queues on disk, one for each priority class, and how far each was read. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_QUEUE_H
#define STRATA_FRONTIER_QUEUE_H

#include "frontier/hosts/hosts.h"
#include "frontier/base/hash_set.h"
#include "frontier/store/store.h"
#include "frontier/base/limits.h"

enum {
  WINDOW_MAX = FRONTIER_LIMIT(65536, 64), /* entries of class NORMAL in memory, waiting: 10 MB of 150 bytes; refilled
                                             when half used */
  WINDOW_OTHER = WINDOW_MAX / 4,          /* of each other class */
};

typedef struct queues {
  uint64_t load_sequence[FRONTIER_CLASSES]; /* URLs of this class on disk from here on are not in memory yet, */
  bool is_unread[FRONTIER_CLASSES];         /* and there may be some */
  uint64_t again_next;                      /* the same of table `again`, whatever the class */
  bool again_is_unread;
  uint64_t own_from;                       /* URLs from here on were accepted by this handle */
  uint64_t ordered_from[FRONTIER_CLASSES]; /* ordered URLs before here were met, */
  bool is_scanning;                        /* and there may be others: they come first */
  bool is_begun;                           /* a call has read some of it */
  bool has_told;                           /* frontier_log was told that there are more than are counted */
  hash_set moved; /* sequences, in `low`: put into another class since open, so their place in the first is void */
} queues;

size_t queue_window(frontier_class class);                    /* entries of it in memory, waiting, at most */
bool queue_has_room(const frontier *f, frontier_class class); /* its window has */

void queue_begin(frontier *f); /* at open: all that is on disk is to be read */

/* Where a new URL waits: in its host's line, at once if it is the very next to load: as an entry if there is room and
 * the host does not rest, as a ref behind refs or if it rests. Else on disk. */
typedef enum queue_place {
  QUEUE_NOWHERE,
  QUEUE_ENTRY,
  QUEUE_REF,
  QUEUE_DEFERRED,
  QUEUE_DISK,
  QUEUE_ORDERED, /* with those of ordering.h, wherever its class stands */
} queue_place;
queue_place queue_choose(const frontier *f, const host *who, frontier_class class, uint16_t depth, bool is_ordered);
/* There it is, with its entry; without memory for a ref it waits on disk. */
void queue_put(frontier *f, queue_place place, host *who, frontier_class class, uint64_t sequence, entry *e);
/* Up to `rows` records, from where the last call ended, into the lines of their hosts. Either as far as the window has
 * room; or until `wanted` of them, not 0, may start now: the others are refs, and the window does not matter. */
typedef struct queue_step {
  unsigned rows;
  size_t wanted;
  unsigned read; /* so many were */
} queue_step;
frontier_status queue_read(frontier *f, frontier_class class, queue_step *step);
/* Fill the windows, in bounded steps; but first all ordered URLs of earlier runs are met. */
frontier_status queue_refill(frontier *f);
/* This URL was met on disk: it waits, whatever its host's record says. DAMAGED, and nothing changed: more URLs wait
 * than there are. */
frontier_status queue_found(frontier *f, host *who, frontier_class class);
/* One that is on disk gets another class (queue_note_moved): if the reading has still to come by, it is found now.
 * false: damaged, as above. */
bool queue_take_out(frontier *f, const entry *e);
/* Nothing is counted as waiting; so is it certain that nothing waits on disk? Not until all is read, unless no call has
 * read any yet: then the counts are good enough. */
bool queue_may_have_more(const frontier *f);
/* Too deep for now: it waits on disk, out of memory. */
void queue_defer(frontier *f, host *who, frontier_class class);

static inline bool queue_class_is_unread(const queues *q, frontier_class class)
{
  return q->is_unread[class];
}

bool queue_is_unread(const queues *q); /* of any class */

/* Are there ordered URLs that were not met? Then what is first is not known. */
static inline bool queue_is_scanning(const queues *q)
{
  return q->is_scanning;
}

/* This URL waits in another class than at open. false: no memory. */
static inline bool queue_note_moved(queues *q, uint64_t sequence)
{
  return hash_set_put(&q->moved, (mlbf_hash128){sequence, 0});
}

/* Its row in table `again` is a new one, or gone, and is not to be read. false: no memory. */
static inline bool queue_note_changed(queues *q, uint64_t sequence)
{
  return !q->again_is_unread || queue_note_moved(q, sequence);
}

static inline bool queue_was_moved(const queues *q, uint64_t sequence)
{
  return q->moved.used && hash_set_has(&q->moved, (mlbf_hash128){sequence, 0});
}

/* Has the reading of its class passed this URL, so that it must be in memory if it waits? */
static inline bool queue_is_past(const queues *q, frontier_class class, uint64_t sequence)
{
  return sequence < q->load_sequence[class];
}

/* Will the reading still come by this URL? Without anything unread it will not. */
static inline bool queue_will_read(const queues *q, frontier_class class, uint64_t sequence)
{
  return q->is_unread[class] && !queue_is_past(q, class, sequence);
}

#endif
