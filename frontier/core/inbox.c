/* Parcels of other partitions: see sharing.h.
 *
 *     bytes --head, checksum, crawl, partitions--> rows --each: URL, is it ours?--> all are added --> its number
 *
 * Always: the number of a parcel goes into the transaction of its last URL, or a later one. A parcel that is not whole
 * changes nothing. */
#include "frontier/core/state.h"

#include "frontier/exchange/wire.h"
#include "frontier/exchange/parcel_row.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TOGETHER = 32 }; /* links, as in add.c */

typedef struct intake {
  frontier *f;
  frontier_parcel parcel;
  frontier_inbox_rules rules;
  const uint8_t *at, *end; /* rows that are not added yet */
  size_t added;
  frontier_text texts[TOGETHER];
  frontier_answer answers[TOGETHER];
  mlbf_span keys[TOGETHER][PARCEL_KEY_PARTS];
} intake;

static frontier_status refuse(frontier *f, const char *why)
{
  f->sharing.stats.refused++;
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a parcel is refused: %s", why);
}

static frontier_status check_head(frontier *f, const frontier_parcel *p)
{
  const sharing *x = &f->sharing;
  if (p->crawl != x->route.crawl)
    return refuse(f, "it is of another crawl");
  if (p->to != x->own || p->from >= x->route.partitions || p->from == x->own)
    return refuse(f, "it is not for this partition");
  return FRONTIER_OK;
}

static bool is_ours(const frontier *f, const frontier_text *text)
{
  const sharing *x = &f->sharing;
  url *u = x->parsed;
  if (!text->is_opaque && url_parse(text->href, text->href_size, f->options.profile, u) != URL_OK)
    return false;
  const frontier_link link = {
    .target = text->is_opaque ? NULL : u, .key = text->key, .group = text->group, .group_size = text->group_size};
  return router_find_link(&x->route, &link) == x->own;
}

/* Before anything is added. */
static frontier_status check_rows(intake *in)
{
  const uint8_t *at = in->at;
  uint32_t urls = 0;
  while (at < in->end && urls <= in->parcel.urls) {
    if (!parcel_row_read(&at, in->end, &in->texts[0], in->keys[0]))
      return refuse(in->f, "it has bytes that are no URL of a parcel");
    if (!is_ours(in->f, &in->texts[0]))
      return refuse(in->f, "it has a URL that is none, or is of another partition");
    urls++;
  }
  return urls == in->parcel.urls ? FRONTIER_OK : refuse(in->f, "it has not as many URLs as it says");
}

static int ask_caller(void *context, size_t index, const url *target)
{
  const intake *in = context;
  return in->rules.accept(in->rules.context, in->added + index, target);
}

static void count(const intake *in, size_t settled, frontier_taken *taken)
{
  for (size_t i = 0; i < settled; i++) {
    const frontier_answer *a = &in->answers[i];
    taken->refused += a->refused != 0;
    taken->fresh += a->id != 0;
  }
}

static frontier_status add_some(intake *in, uint64_t now_ms, frontier_taken *taken)
{
  size_t have = 0, settled;
  const frontier_text_rules rules = {.accept = in->rules.accept ? ask_caller : NULL, .context = in};
  for (; have < TOGETHER && in->at < in->end; have++)
    if (!parcel_row_read(&in->at, in->end, &in->texts[have], in->keys[have]))
      return refuse(in->f, "it changed while it was read");
  frontier_status status = frontier_add_texts(in->f, &rules, in->texts, have, now_ms, in->answers, &settled);
  count(in, settled, taken);
  in->added += settled;
  return status;
}

static frontier_status take(intake *in, uint64_t now_ms, frontier_taken *taken)
{
  frontier *f = in->f;
  sharing *x = &f->sharing;
  lane *l = &x->lanes[in->parcel.from];
  frontier_status status = FRONTIER_OK;
  taken->is_repeat = lane_arrives(l, &in->parcel) == LANE_REPEAT;
  if (!taken->is_repeat)
    status = check_rows(in);
  while (status == FRONTIER_OK && !taken->is_repeat && in->at < in->end)
    status = add_some(in, now_ms, taken);
  if (status != FRONTIER_OK)
    return status;
  lane_took(l, &in->parcel, &taken->lost);
  if (l->is_dirty)
    batch_want(&f->batch, clock_glance(f, now_ms));
  x->stats.taken += !taken->is_repeat;
  x->stats.fresh += taken->fresh;
  x->stats.lost += taken->lost;
  if (taken->lost)
    frontier_log(f,
                 "%s: %" PRIu64 " parcels of partition %" PRIu32 " are lost: this directory was restored from an older"
                 " copy than it had said to be kept",
                 f->directory, taken->lost, in->parcel.from);
  return FRONTIER_OK;
}

frontier_status frontier_inbox_take_sized(frontier *f, const void *bytes, size_t size,
                                          const frontier_inbox_rules *rules, size_t rules_size, uint64_t now_ms,
                                          frontier_taken *taken, size_t taken_size)
{
  LOCKED(f);
  frontier_taken ours = {0};
  frontier_inbox_rules own_rules = {0};
  frontier_status status = sharing_refuse(f);
  if (status != FRONTIER_OK)
    return status;
  if (rules && !sized_take(&own_rules, sizeof own_rules, rules, rules_size))
    return refuse_unknown_field(f);
  if (!frontier_parcel_read(bytes, size, &ours.parcel))
    return refuse(f, "its head is none, or its checksum is wrong");
  status = check_head(f, &ours.parcel);
  if (status != FRONTIER_OK)
    return status;
  intake *in = malloc(sizeof *in);
  if (!in)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a parcel");
  in->f = f;
  in->parcel = ours.parcel;
  in->rules = own_rules;
  in->at = (const uint8_t *)bytes + PARCEL_HEAD;
  in->end = (const uint8_t *)bytes + size;
  in->added = 0;
  status = take(in, now_ms, &ours);
  free(in);
  ours.parcel.bytes = NULL;
  if (status == FRONTIER_OK)
    sized_give(taken, taken_size, &ours, sizeof ours);
  return status;
}

frontier_status frontier_inbox_tell(frontier *f, uint32_t from, frontier_ack *ack, bool *is_news)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  frontier_status status = sharing_refuse(f);
  lane *l = status == FRONTIER_OK ? sharing_lane(f, from) : NULL;
  if (!l)
    return FRONTIER_BAD_ARGUMENT;
  commit_poll(f);
  *ack = (frontier_ack){.crawl = x->route.crawl, .from = x->own, .to = from, .incarnation = x->incarnation};
  lane_tell(l, f->options.keeps_copies, ack);
  *is_news = l->is_news;
  l->is_news = false;
  return FRONTIER_OK;
}
