/* Takes links: finds out which are new, and puts these into the open batch.
 *
 *     links --hash--> 32 at a time --filter--> each in order: judge --> SEEN
 *                                                                  |--> new: accept.c --> queue, or history (noted)
 *                                                                  |--> UNCONFIRMED: late.c, where keys are confirmed
 *                                                                  `--> ELSEWHERE: outbox.c, where hosts are divided
 *
 * The filter is asked for many together, since its memory is slow and can be fetched for all at once. That is sound,
 * for its bits change only with a commit, and no commit comes between asking and judging; the open batch, which also
 * has the earlier links of this call, is asked for each link by itself. Where keys are confirmed, the cache of known
 * keys comes before the filter (late.h). */
#include "frontier/core/state.h"

#include <assert.h>

enum { TOGETHER = HOSTS_FETCH }; /* links: as many as the filters are asked for at once */
_Static_assert((int)TOGETHER <= (int)SEEN_LOT, "a lot has room for the links");

/* ---- verdicts ------------------------------------------------------------------------------------------- */

typedef struct looked_up {
  seen_lot lot;
  mlbf_verdict verdicts[TOGETHER]; /* the filters' */
  bool is_certain[TOGETHER];       /* it is seen: the filters were not asked */
} looked_up;

/* Segments of the link's own key, or of its URL's, in `room`; none if the link is refused. */
static mlbf_key key_of(const frontier_link *link, mlbf_span room[URL_SEGMENTS_MAX])
{
  static const mlbf_span nothing;
  if (link->key)
    return (mlbf_key){link->key_count ? link->key : &nothing, link->key_count ? link->key_count : 1};
  return link->target ? (mlbf_key){room, seen_segments(link->target, room)} : (mlbf_key){&nothing, 1};
}

void link_hash(const mlbf_filter *filter, const frontier_link *link, key_hashes *hashes)
{
  mlbf_span room[URL_SEGMENTS_MAX];
  mlbf_key key = key_of(link, room);
  seen_hash_key(filter, key.segments, key.count, hashes);
}

static void hash_links(const mlbf_filter *filter, const frontier_link *links, size_t count, seen_lot *lot)
{
  mlbf_span rooms[TOGETHER][URL_SEGMENTS_MAX];
  mlbf_key keys[TOGETHER];
  mlbf_hashes hashes = seen_lot_hashes(lot);
  for (size_t i = 0; i < count; i++)
    keys[i] = key_of(&links[i], rooms[i]);
  mlbf_hash(filter, keys, count, &hashes);
}

/* Most links are certain already, and that costs less to know than what the filters say: they are asked for the
 * others. */
static void look_up_rest(const frontier *f, size_t count, looked_up *out)
{
  seen_lot rest;
  mlbf_verdict verdicts[TOGETHER];
  size_t at[TOGETHER], left = 0, end = 0;
  for (size_t i = 0; i < count; i++) {
    size_t begin = i ? out->lot.ends[i - 1] : 0, size = out->lot.ends[i] - begin;
    out->is_certain[i] = late_knows(f, out->lot.wholes[i]);
    if (out->is_certain[i])
      continue;
    memcpy(rest.segments + end, out->lot.segments + begin, size * sizeof *rest.segments);
    memcpy(rest.layers + end, out->lot.layers + begin, size);
    rest.wholes[left] = out->lot.wholes[i];
    rest.ends[left] = (uint32_t)(end += size);
    at[left++] = i;
  }
  mlbf_hashes hashes = seen_lot_hashes(&rest);
  seen_ask(f->seen, &hashes, left, verdicts);
  for (size_t i = 0; i < left; i++)
    out->verdicts[at[i]] = verdicts[i];
}

/* `exactly`: what waits to be confirmed is not taken for certain. */
static void look_up(const frontier *f, const frontier_link *links, size_t count, bool exactly, looked_up *out)
{
  hash_links(seen_filter(f->seen), links, count, &out->lot);
  memset(out->is_certain, false, sizeof out->is_certain);
  if (late_is_on(f) && !exactly) {
    for (size_t i = 0; i < count; i++)
      late_fetch(f, out->lot.wholes[i]);
    look_up_rest(f, count, out);
    return;
  }
  mlbf_hashes hashes = seen_lot_hashes(&out->lot);
  seen_ask(f->seen, &hashes, count, out->verdicts);
}

/* What takes those in that are new. */
static void fetch(const frontier *f, const frontier_link *links, size_t count, const looked_up *found)
{
  host_name names[TOGETHER];
  size_t fresh = 0;
  for (size_t i = 0; i < count; i++)
    if (!found->is_certain[i] && found->verdicts[i].outcome != MLBF_SEEN) {
      const url *u = links[i].target;
      key_hashes key;
      seen_lot_key(&found->lot, i, &key);
      seen_fetch(f->seen, &key);
      if (u && !links[i].group_size)
        names[fresh++] = (host_name){u->fetch + u->host_begin, u->host_end - u->host_begin};
    }
  hosts_fetch(f->hosts, names, fresh);
}

static bool is_new(frontier_verdict verdict)
{
  return verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED &&
         verdict.outcome != FRONTIER_ELSEWHERE;
}

/* UNCONFIRMED: where keys are confirmed, and it is to be asked whether it was seen for certain. */
static frontier_verdict judge(const frontier *f, const frontier_link *link, const looked_up *found, size_t i,
                              const key_hashes *hashes)
{
  if (sharing_is_elsewhere(f, link))
    return (frontier_verdict){FRONTIER_ELSEWHERE, 0};
  if (found->is_certain[i])
    return (frontier_verdict){FRONTIER_SEEN, 0};
  frontier_verdict said = seen_judge(f->seen, hashes, found->verdicts[i]);
  if (said.outcome == FRONTIER_SEEN && tombstones_has(&f->tombstones, hashes->whole))
    said.outcome = hashes->depth ? FRONTIER_NEW_COMBINATION : FRONTIER_NEW;
  else if (said.outcome == FRONTIER_SEEN && found->verdicts[i].outcome == MLBF_SEEN && late_is_on(f))
    said.outcome = FRONTIER_UNCONFIRMED;
  if (is_new(said) && f->previous && previous_knows(f->previous, link))
    said = (frontier_verdict){FRONTIER_KNOWN_BEFORE, 0};
  return said;
}

/* The same for certain, as far as that can be said now. */
static frontier_status judge_exactly(frontier *f, const frontier_link *link, looked_up *found, size_t i,
                                     const key_hashes *hashes, frontier_verdict *said)
{
  late_answer answer;
  *said = judge(f, link, found, i, hashes);
  if (said->outcome != FRONTIER_UNCONFIRMED)
    return FRONTIER_OK;
  frontier_status status = late_ask(f, hashes->whole, &answer);
  if (status != FRONTIER_OK)
    return status;
  if (answer == LATE_KNOWN) {
    said->outcome = FRONTIER_SEEN;
  } else if (answer == LATE_UNKNOWN) {
    found->verdicts[i] = seen_least(hashes);
    *said = judge(f, link, found, i, hashes);
  }
  return FRONTIER_OK;
}

/* The key is all that a look-up takes. */
static frontier_status refuse_key(frontier *f, const frontier_link *link)
{
  if (link->key ? link->key_count > 0 : link->target != NULL)
    return FRONTIER_OK;
  return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s", link->key ? "a key of no segments" : "no URL, and no key");
}

frontier_status link_judge(frontier *f, const frontier_link *link, key_hashes *hashes, frontier_verdict *verdict)
{
  looked_up found;
  frontier_status status = refuse_key(f, link);
  if (status == FRONTIER_OK)
    status = late_load(f);
  if (status != FRONTIER_OK)
    return status;
  look_up(f, link, 1, true, &found);
  seen_lot_key(&found.lot, 0, hashes);
  return judge_exactly(f, link, &found, 0, hashes, verdict);
}

static bool is_group(const frontier_link *link)
{
  return link->group_size && link->group_size <= FRONTIER_GROUP_MAX && !memchr(link->group, '\0', link->group_size);
}

static frontier_status refuse_nonsense(frontier *f, const frontier_link *link)
{
  if (link->payload_size > FRONTIER_PAYLOAD_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a payload of %zu bytes; %d is the most", link->payload_size,
                         FRONTIER_PAYLOAD_MAX);
  if (link->group_size && !is_group(link))
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a group has up to %d bytes, and no NUL", FRONTIER_GROUP_MAX);
  if (link->target ? link->opaque_size > 0 : link->opaque_size - 1 >= FRONTIER_OPAQUE_MAX || !link->group_size)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a link has a URL, or up to %d opaque bytes, a key and a group",
                         FRONTIER_OPAQUE_MAX);
  return refuse_key(f, link);
}

/* Of a link that is only told to be seen the key's own hash is enough: of most links. */
static void link_key(const frontier *f, const looked_up *found, size_t i, purpose what_for, key_hashes *hashes)
{
  bool is_seen = found->is_certain[i] ||
                 (found->verdicts[i].outcome == MLBF_SEEN && !late_is_on(f) && tombstones_is_empty(&f->tombstones));
  if (is_seen && what_for != TO_QUEUE_ANYHOW) {
    hashes->whole = found->lot.wholes[i];
    hashes->depth = 0;
  } else {
    seen_lot_key(&found->lot, i, hashes);
  }
}

static frontier_status settle(frontier *f, const frontier_link *link, looked_up *found, size_t i, purpose what_for,
                              uint64_t now_ms, frontier_verdict *verdict)
{
  key_hashes hashes;
  link_key(f, found, i, what_for, &hashes);
  frontier_status status = refuse_nonsense(f, link);
  frontier_verdict said = judge(f, link, found, i, &hashes);
  newcomer n = {.link = link, .hashes = &hashes, .has_own_key = link->key, .purpose = what_for};
  if (status == FRONTIER_OK && said.outcome == FRONTIER_UNCONFIRMED) {
    if (what_for == TO_QUEUE_ANYHOW)
      status = judge_exactly(f, link, found, i, &hashes, &said);
    else if (late_knows(f, hashes.whole))
      said.outcome = FRONTIER_SEEN;
    else
      status = late_put(f, &n, now_ms);
  }
  if (status == FRONTIER_OK && said.outcome == FRONTIER_ELSEWHERE) {
    *verdict = said;
    return what_for == TO_NOTE ? FRONTIER_OK : outbox_put(f, link, hashes.whole.low, now_ms);
  }
  bool is_forced = !is_new(said) && what_for == TO_QUEUE_ANYHOW;
  if (is_forced)
    said.outcome = FRONTIER_SEEN;
  n.verdict = said;
  if (status == FRONTIER_OK && (is_new(said) || is_forced))
    status = accept_link(f, &n, now_ms);
  if (status != FRONTIER_OK)
    return status;
  if (said.outcome != FRONTIER_UNCONFIRMED)
    counts_judged(&f->counts, said.outcome, is_forced);
  batch_touch(&f->batch);
  *verdict = said;
  return FRONTIER_OK;
}

/* What frontier_next does first, for who adds and never calls it. Only the commit can fail: what cannot be read is said
 * there. */
static frontier_status commit_in_time(frontier *f)
{
  frontier_status status = commit_begin(f);
  if (status == FRONTIER_OK)
    (void)queue_refill(f);
  return status;
}

/* Up to TOGETHER links. */
static frontier_status settle_some(frontier *f, const frontier_link *links, size_t count, purpose what_for,
                                   uint64_t now_ms, frontier_verdict *verdicts, size_t *settled)
{
  looked_up found;
  frontier_status status = FRONTIER_OK;
  assert(count && count <= TOGETHER);
  if (batch_is_full(&f->batch) || late_is_full(f) || outbox_is_full(f))
    status = commit_begin(f);
  else if (batch_is_old(&f->batch, now_ms))
    status = commit_in_time(f);
  else
    maintain_pay_some(f);
  *settled = 0;
  if (status == FRONTIER_OK)
    look_up(f, links, count, what_for == TO_QUEUE_ANYHOW, &found);
  if (status == FRONTIER_OK && count > 1)
    fetch(f, links, count, &found);
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    status = settle(f, &links[i], &found, i, what_for, now_ms, &verdicts[i]);
    *settled += status == FRONTIER_OK;
  }
  wake_look(f);
  return status;
}

/* The caller's links, from the `first` on, up to TOGETHER, as ours: in `room`, if theirs are of another size. NULL: a
 * field is set that is not known here. */
static const frontier_link *take_links(const frontier_link *links, size_t link_size, size_t first, size_t count,
                                       frontier_link room[TOGETHER])
{
  if (link_size == sizeof *links)
    return links + first;
  for (size_t i = 0; i < count; i++)
    if (!sized_take(&room[i], sizeof room[i], (const char *)links + (first + i) * link_size, link_size))
      return NULL;
  return room;
}

static frontier_status settle_one(frontier *f, const frontier_link *given, size_t link_size, purpose what_for,
                                  uint64_t now_ms, frontier_verdict *verdict)
{
  size_t settled;
  frontier_link room[TOGETHER];
  const frontier_link *link = take_links(given, link_size, 0, 1, room);
  if (f->options.read_only)
    return refuse_reader(f);
  return link ? settle_some(f, link, 1, what_for, clock_glance(f, now_ms), verdict, &settled) : refuse_unknown_field(f);
}

/* ---- the calls ------------------------------------------------------------------------------------------ */

frontier_status frontier_add(frontier *f, const url *u, frontier_origin origin, uint64_t now_ms,
                             frontier_verdict *verdict)
{
  LOCKED(f);
  const frontier_link link = {.target = u, .origin = origin};
  return settle_one(f, &link, sizeof link, TO_QUEUE, now_ms, verdict);
}

frontier_status frontier_force_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                     frontier_verdict *verdict)
{
  LOCKED(f);
  return settle_one(f, link, link_size, TO_QUEUE_ANYHOW, now_ms, verdict);
}

frontier_status frontier_note_sized(frontier *f, const frontier_link *link, size_t link_size, uint64_t now_ms,
                                    frontier_verdict *verdict)
{
  LOCKED(f);
  return settle_one(f, link, link_size, TO_NOTE, now_ms, verdict);
}

frontier_status frontier_add_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                         uint64_t now_ms, frontier_verdict *verdicts, size_t *settled)
{
  LOCKED(f);
  frontier_link room[TOGETHER];
  *settled = 0;
  now_ms = clock_glance(f, now_ms);
  frontier_status status = f->options.read_only ? refuse_reader(f) : FRONTIER_OK;
  while (*settled < count && status == FRONTIER_OK) {
    size_t left = count - *settled, size = left < TOGETHER ? left : TOGETHER, done = 0;
    const frontier_link *some = take_links(links, link_size, *settled, size, room);
    status = some ? settle_some(f, some, size, TO_QUEUE, now_ms, verdicts + *settled, &done) : refuse_unknown_field(f);
    *settled += done;
  }
  return status;
}

frontier_status frontier_lookup_batch_sized(frontier *f, const frontier_link *links, size_t link_size, size_t count,
                                            frontier_verdict *verdicts)
{
  LOCKED(f);
  frontier_link room[TOGETHER];
  looked_up found;
  frontier_status status = f->seen ? FRONTIER_OK : seen_load(f);
  if (status == FRONTIER_OK)
    status = late_load(f);
  for (size_t begin = 0; begin < count && status == FRONTIER_OK; begin += TOGETHER) {
    size_t size = count - begin < TOGETHER ? count - begin : TOGETHER;
    const frontier_link *some = take_links(links, link_size, begin, size, room);
    status = some ? FRONTIER_OK : refuse_unknown_field(f);
    for (size_t i = 0; i < size && status == FRONTIER_OK; i++)
      status = refuse_key(f, &some[i]);
    if (status == FRONTIER_OK)
      look_up(f, some, size, true, &found);
    for (size_t i = 0; i < size && status == FRONTIER_OK; i++) {
      key_hashes hashes;
      seen_lot_key(&found.lot, i, &hashes);
      status = judge_exactly(f, &some[i], &found, i, &hashes, &verdicts[begin + i]);
    }
  }
  return status;
}

frontier_status frontier_lookup(frontier *f, const url *u, frontier_verdict *verdict)
{
  LOCKED(f);
  const frontier_link link = {.target = u};
  return frontier_lookup_batch(f, &link, 1, verdict);
}
