/* Recrawl inside the frontier: the functions of recrawl.c that other files call; private to this room. */
#ifndef STRATA_FRONTIER_RECRAWL_INSIDE_H
#define STRATA_FRONTIER_RECRAWL_INSIDE_H

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
  uint8_t *last_visit; /* what frontier_visit_get points into */
} recrawling;

/* Some of what is due into the lines of its hosts, as far as there is room. */
frontier_status recrawl_take(frontier *f);
/* Nothing more is due. */
bool recrawl_is_over(const frontier *f);

#endif
