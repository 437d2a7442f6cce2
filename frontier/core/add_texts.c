/* Takes links as texts, and adds those that are URLs and that the caller's filter wants, a piece of them at a time.
 *
 *     texts --url_resolve--> accept? --yes--> [ url | url | ... ] --frontier_add_batch--> verdicts, ids
 *              \                 \             a piece: 32 URLs, each no longer than its strings, in memory for any
 *               '-- no URL        '-- refused
 *
 * A piece is resolved without the handle's mutex, since it needs nothing of the handle but what never changes: so
 * several threads resolve at once, and none waits for another's filter. */
#include "frontier/core/state.h"
#include "frontier/text.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  TOGETHER = HOSTS_FETCH,
  URLS_SIZE = 32 << 10, /* bytes: room for 32 URLs of 800 bytes, which are longer than nearly all */
};

typedef struct call {
  frontier_text_rules rules;
  const uint8_t *texts;
  size_t text_size;
  uint8_t *answers;
  size_t answer_size;
} call;

typedef struct piece {
  size_t count;
  frontier_link links[TOGETHER];
  size_t places[TOGETHER]; /* of their texts in the call */
  frontier_verdict verdicts[TOGETHER];
  size_t used;                                     /* of `urls`, <= URLS_SIZE */
  alignas(url) char urls[URLS_SIZE + sizeof(url)]; /* so the next one has room, however long */
} piece;

/* ---- structs of the caller's sizes ----------------------------------------------------------------------- */

/* The caller's own, or a copy in `room`; NULL: a field is set that we do not know. */
static const frontier_text *take_text(const call *c, size_t place, frontier_text *room)
{
  const uint8_t *given = c->texts + place * c->text_size;
  if (c->text_size == sizeof *room)
    return (const frontier_text *)(const void *)given;
  return sized_take(room, sizeof *room, given, c->text_size) ? room : NULL;
}

/* Field by field, into the caller's memory if it has our size: one built on the stack, and then copied, costs a twelfth
 * of the call (bench_frontier_texts), as its parts are not written yet when they are read together. */
static void answer(const call *c, size_t place, url_status status, int refused, frontier_verdict verdict, uint64_t id)
{
  uint8_t *at = c->answers + place * c->answer_size;
  frontier_answer room = {0}, *ours = c->answer_size == sizeof room ? (frontier_answer *)(void *)at : &room;
  ours->url = status;
  ours->refused = refused;
  ours->verdict = verdict;
  ours->id = id;
  if (ours == &room)
    sized_give(at, c->answer_size, &room, sizeof room);
}

/* ---- a piece --------------------------------------------------------------------------------------------- */

/* The last URL of the piece stays, with its key behind its fetch URL and nothing behind these. */
static void keep(piece *p, url *u)
{
  char *end = u->fetch_bytes + u->fetch_size + 1;
  assert(u->fetch == u->fetch_bytes && (char *)u == p->urls + p->used);
  if (u->key != u->fetch) {
    u->key = memmove(end, u->key, u->key_size + 1);
    end += u->key_size + 1;
  }
  p->used = ((size_t)(end - p->urls) + alignof(url) - 1) / alignof(url) * alignof(url);
}

/* `u` NULL: it is opaque. */
static void add_link(piece *p, size_t place, const frontier_text *text, const url *u)
{
  p->places[p->count] = place;
  p->links[p->count++] = (frontier_link){.target = u,
                                         .origin = text->origin,
                                         .key = text->key,
                                         .key_count = text->key_count,
                                         .payload = text->payload,
                                         .payload_size = text->payload_size,
                                         .group = text->group,
                                         .group_size = text->group_size,
                                         .priority = text->priority,
                                         .not_before_ms = text->not_before_ms,
                                         .opaque = u ? NULL : text->href,
                                         .opaque_size = u ? 0 : text->href_size};
}

/* Into the piece, or into an answer. false: as take_text. */
static bool gather_one(piece *p, const call *c, url_profile profile, size_t place)
{
  frontier_text room = {0};
  const frontier_text *text = take_text(c, place, &room);
  if (!text)
    return false;
  if (text->is_opaque) {
    add_link(p, place, text, NULL);
    return true;
  }
  url *u = (url *)(p->urls + p->used);
  url_status status = url_resolve(c->rules.base, text->href ? text->href : "", text->href_size, profile, u);
  int refused = status == URL_OK && c->rules.accept ? c->rules.accept(c->rules.context, place, u) : 0;
  if (status != URL_OK || refused) {
    answer(c, place, status, refused, (frontier_verdict){0}, 0);
    return true;
  }
  keep(p, u);
  add_link(p, place, text, u);
  return true;
}

/* Of the texts from `at` to `end`, as many as it has room for: `at` moves behind them. false: as take_text. */
static bool gather(piece *p, const call *c, url_profile profile, size_t *at, size_t end)
{
  p->count = p->used = 0;
  for (; *at < end && p->count < TOGETHER && p->used <= URLS_SIZE; ++*at)
    if (!gather_one(p, c, profile, *at))
      return false;
  return true;
}

static bool is_queued(frontier_verdict verdict)
{
  return verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED &&
         verdict.outcome != FRONTIER_ELSEWHERE;
}

/* `*added`: how many of its links have their answers. Their URLs were queued last: what comes late is queued before the
 * links of a call. */
static frontier_status add(frontier *f, piece *p, const call *c, uint64_t now_ms, size_t *added)
{
  LOCKED(f);
  memset(p->verdicts, 0, sizeof p->verdicts);
  frontier_status status = frontier_add_batch(f, p->links, p->count, now_ms, p->verdicts, added);
  uint64_t id = counts_next_sequence(&f->counts);
  for (size_t i = 0; i < p->count && i < *added; i++)
    id -= is_queued(p->verdicts[i]);
  for (size_t i = 0; i < p->count && i < *added; i++)
    answer(c, p->places[i], URL_OK, 0, p->verdicts[i], is_queued(p->verdicts[i]) ? id++ : 0);
  assert(id == counts_next_sequence(&f->counts));
  return status;
}

/* ---- the call -------------------------------------------------------------------------------------------- */

static frontier_status refuse(frontier *f, frontier_status status, const char *why)
{
  LOCKED(f);
  return frontier_fail(f, status, "%s", why);
}

frontier_status frontier_add_texts_sized(frontier *f, const frontier_text_rules *rules, size_t rules_size,
                                         const frontier_text *texts, size_t text_size, size_t count, uint64_t now_ms,
                                         frontier_answer *answers, size_t answer_size, size_t *settled)
{
  static const frontier_text_rules none;
  call c = {{0}, (const uint8_t *)texts, text_size, (uint8_t *)answers, answer_size};
  frontier_status status = frontier_add_batch(f, NULL, 0, now_ms, NULL, settled); /* refuses a reader */
  if (status != FRONTIER_OK)
    return status;
  if (!sized_take(&c.rules, sizeof c.rules, rules ? rules : &none, rules ? rules_size : sizeof none))
    return refuse(f, FRONTIER_BAD_ARGUMENT, "rules for texts that this library does not have");
  piece *p = malloc(sizeof *p);
  if (!p)
    return refuse(f, FRONTIER_NO_MEMORY, "out of memory for texts");
  for (size_t at = 0; at < count && status == FRONTIER_OK;) {
    size_t added;
    bool is_known = gather(p, &c, f->options.profile, &at, count);
    status = add(f, p, &c, now_ms, &added);
    *settled = added < p->count ? p->places[added] : at;
    if (status == FRONTIER_OK && !is_known)
      status = refuse(f, FRONTIER_BAD_ARGUMENT, "a field of a text that this library does not have");
  }
  free(p);
  return status;
}
