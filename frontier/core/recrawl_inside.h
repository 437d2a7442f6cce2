/* Recrawl inside the frontier: the functions of recrawl.c and again.c that other files call; private to this room. */
#ifndef STRATA_FRONTIER_RECRAWL_INSIDE_H
#define STRATA_FRONTIER_RECRAWL_INSIDE_H

#include "frontier/core/revisit_info.h"
#include "frontier/core/url_records.h"
#include "frontier/hosts/entry.h"

/* A part of the handle (part.h). */
typedef struct recrawling {
  bool is_on, is_over;      /* over: nothing more is due until `until_s` */
  uint64_t least_s, most_s; /* bounds of a page's interval; 0 before the first frontier_recrawl */
  bool has_bounds;          /* they are those of disk, or newer */
  uint32_t until_s;
  uint64_t from;      /* of the table `due`: keys before it are taken */
  visit_note **taken; /* of those due, which say so and give up their places in `due` with the next commit */
  size_t taken_count, taken_room;
  visit_note **notes; /* visits rewritten with the next commit */
  size_t note_count;
  hash_set placed;     /* keys of `due` in this transaction, with their ids; where ids have more than 32 bits */
  uint8_t *last_visit; /* what frontier_visit_get points into */
} recrawling;

/* Some of what is due into the lines of its hosts, as far as there is room. */
frontier_status recrawl_take(frontier *f);
/* A URL that has ended waits again: in its host's line, and in table `again` with the next commit. NO_MEMORY: nothing
 * changed. */
frontier_status again_put(frontier *f, const url_record *record, frontier_class class, frontier_state state);
/* The same with its last visit, whose place in `due` (v->due_s; 0: it has none) is given up. */
frontier_status recrawl_put(frontier *f, const url_record *record, const seen_visit *v);
/* Nothing more is due. */
bool recrawl_is_over(const frontier *f);

#endif
