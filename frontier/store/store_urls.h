/* The URLs on disk: a row of each, as it was accepted, and what became of it. Reads tables `text`, `again`, `ended` and
 * `states` (store.h) together; and folds `ended` into `states`. */
#ifndef STRATA_FRONTIER_STORE_URLS_H
#define STRATA_FRONTIER_STORE_URLS_H

#include "frontier/rows/rows.h"
#include "frontier/rows/url_row.h"
#include "frontier/rows/url_state.h"
#include "frontier/store/store.h"
#include "frontier/store/url_states.h"

typedef struct stored_url {
  uint64_t sequence;
  url_row row; /* the newest */
  url_state state;
} stored_url;

typedef bool store_url_visitor(void *context, const stored_url *u); /* false: enough */

/* A set of what is wanted; AS_ACCEPTED: the row of table `text`, be there a newer one or not. */
enum { STORED_WAITING = 1, STORED_ENDED = 2, STORED_AS_ACCEPTED = 4 };

/* Every committed URL from `from` on, in order of sequence. DAMAGED: store_message says of which table. */
frontier_status store_each_url(store *s, unsigned wanted, uint64_t from, store_url_visitor *visit, void *context);

/* The same in steps, each as of the last commit: from `next` on, until the visitor returns false for a URL, which is
 * then the next one, or all are read. */
typedef struct store_steps {
  uint64_t next;
  bool is_over;
  ended_tail tail; /* as of this commit */
  size_t commit;
} store_steps; /* zeros at first, but for `next` */
frontier_status store_next_urls(store *s, unsigned wanted, store_steps *steps, store_url_visitor *visit, void *context);
void store_end_steps(store_steps *steps);

/* The reading of a queue: URLs of a class that wait, but for those in table `again`. None from `from` on may have ended
 * since this store was first read, but for noted ones, which are left out by their rows. Looks at some `most` rows.
 * `*next`: where to go on, which is not past a URL for which the visitor returned false; `*is_over`: there are no
 * more. */
frontier_status store_read_waiting(store *s, frontier_class class, uint64_t from, size_t most, store_url_visitor *visit,
                                   void *context, uint64_t *next, bool *is_over);

void store_forget_tail(store *s); /* what that takes is given back; reading again is fine */

/* The rows of these URLs, in this order, as far as they are there; their states are not looked up. */
frontier_status store_find_urls(store *s, const uint64_t *sequences, size_t count, store_url_visitor *visit,
                                void *context);

/* With its state; NOT_FOUND. `*u` is good for the visitor's time. */
frontier_status store_find_url(store *s, uint64_t sequence, store_url_visitor *visit, void *context);

/* Into what is gathered: a share of the oldest rows of `ended`, `rows` of them or some more, goes into `states`, some
 * `groups` with each call. The caller passes the same `fold` until *is_over; all zeros at first. If the transaction is
 * not committed, `at` is set back to what it was; or store_fold_free, and begin again. On failure nothing more was
 * gathered. */
typedef struct ended_fold {
  uint64_t *rows; /* by sequence; of the values with keys in `keys` */
  size_t count, at;
  size_t groups; /* that they are of */
  uint64_t end;  /* number of the first row behind them */
  uint64_t *keys;
  size_t key_count, key_room;
} ended_fold;
frontier_status store_fold_some(store *s, ended_fold *fold, size_t rows, size_t groups, bool *is_over);
void store_fold_free(ended_fold *fold);

#endif
