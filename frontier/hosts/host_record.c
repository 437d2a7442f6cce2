/* A host's record, and what is counted of it. FORMAT.md, table "hosts". */
#include "frontier/hosts/schedule.h"

#include "frontier/base/record.h"

host_counts host_counts_of(const host *who)
{
  host_counts counts = {.done = who->done,
                        .failed = who->failed,
                        .skipped = who->skipped,
                        .trap_ended = who->trap_ended,
                        .found = who->found,
                        .suspect = who->suspect};
  counts.queued[FRONTIER_NORMAL] = who->normal.queued;
  for (int class = 1; who->others && class < FRONTIER_CLASSES; ++class)
    counts.queued[class] = who->others[class - 1].queued;
  return counts;
}

bool host_set_counts(hosts *h, host *who, const host_counts *counts)
{
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    if (counts->queued[class] && !host_reserve(who, (frontier_class) class))
      return false;
    line *l = host_line(who, (frontier_class) class);
    if (l)
      l->queued = counts->queued[class];
  }
  who->done = counts->done;
  who->failed = counts->failed;
  who->skipped = counts->skipped;
  who->trap_ended = counts->trap_ended;
  who->found = counts->found;
  who->suspect = counts->suspect;
  hosts_recount(h, who);
  return true;
}

/* Most hosts have URLs of class NORMAL alone, and nothing was said of them: their records stay as short as ever. */
static bool is_plain(const host *who)
{
  return host_queued(who) == who->normal.queued && !who->trap_ended && !who->found && !who->control;
}

static void write_more(const host *who, uint8_t *body)
{
  static const frontier_host_control nothing;
  const frontier_host_control *c = who->control ? who->control : &nothing;
  body[7] = 1;
  for (int i = 0; i < FRONTIER_CLASSES - 1; i++)
    put_le(body + 32 + 8 * i, who->others ? who->others[i].queued : 0, 8);
  put_le(body + 56, who->trap_ended, 8);
  put_le(body + 64, who->found, 4);
  put_le(body + 68, who->suspect, 4);
  put_le(body + 72, c->delay_ms, 8);
  put_le(body + 80, c->budget, 8);
  put_le(body + 88, c->trap_budget, 8);
  put_le(body + 96, c->not_before_s, 8);
  put_le(body + 104, c->per_host, 4);
  body[108] = (uint8_t)c->priority;
  body[109] = c->is_blocked;
}

size_t host_write(const host *who, uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX])
{
  size_t head = is_plain(who) ? HOST_HEAD : HOST_HEAD_2;
  put_le(body + 0, host_queued(who), 7);
  body[7] = 0;
  put_le(body + 8, who->done, 8);
  put_le(body + 16, who->failed, 8);
  put_le(body + 24, who->skipped, 8);
  if (head == HOST_HEAD_2)
    write_more(who, body);
  memcpy(body + head, who->name, who->name_size);
  return head + who->name_size;
}

static bool says_nothing(const frontier_host_control *c)
{
  return !c->delay_ms && !c->budget && !c->trap_budget && !c->not_before_s && !c->per_host && !c->priority &&
         !c->is_blocked;
}

static frontier_status read_control(host *who, const uint8_t *body)
{
  frontier_host_control c = {.delay_ms = get_le(body + 72, 8),
                             .budget = get_le(body + 80, 8),
                             .trap_budget = get_le(body + 88, 8),
                             .not_before_s = get_le(body + 96, 8),
                             .per_host = (uint32_t)get_le(body + 104, 4),
                             .priority = (frontier_class)body[108],
                             .is_blocked = body[109] & 1};
  if (body[108] >= FRONTIER_CLASSES || body[109] > 1)
    return FRONTIER_DAMAGED;
  if (says_nothing(&c))
    return FRONTIER_OK;
  if (!host_control_of(who))
    return FRONTIER_NO_MEMORY;
  *who->control = c;
  return FRONTIER_OK;
}

/* In the longer record; what waits in the other classes is part of what it says waits in all. */
static bool read_more_counts(const uint8_t *body, host_counts *counts)
{
  counts->trap_ended = get_le(body + 56, 8);
  counts->found = (uint32_t)get_le(body + 64, 4);
  counts->suspect = (uint32_t)get_le(body + 68, 4);
  for (unsigned i = 0; i < FRONTIER_CLASSES - 1; i++) {
    uint64_t queued = get_le(body + 32 + 8 * i, 8);
    if (queued > counts->queued[FRONTIER_NORMAL])
      return false;
    counts->queued[FRONTIER_NORMAL] -= queued;
    counts->queued[i + 1] = queued;
  }
  return true;
}

static frontier_status read_record(hosts *h, host *who, const uint8_t *body, bool is_long)
{
  host_counts counts = {.queued = {[FRONTIER_NORMAL] = get_le(body + 0, 7)},
                        .done = get_le(body + 8, 8),
                        .failed = get_le(body + 16, 8),
                        .skipped = get_le(body + 24, 8)};
  if (is_long && !read_more_counts(body, &counts))
    return FRONTIER_DAMAGED;
  if (!host_set_counts(h, who, &counts))
    return FRONTIER_NO_MEMORY;
  frontier_status status = is_long ? read_control(who, body) : FRONTIER_OK;
  hosts_recount(h, who);
  return status;
}

/* How long the head is; 0: this is no record. */
static size_t head_of(const uint8_t *body, size_t size)
{
  size_t head = size >= HOST_HEAD && body[7] ? HOST_HEAD_2 : HOST_HEAD;
  return size < head || size > head + URL_LENGTH_MAX || body[7] > 1 ? 0 : head;
}

frontier_status hosts_read(hosts *h, uint64_t id, const uint8_t *body, size_t size)
{
  size_t head = head_of(body, size);
  const char *name = (const char *)body + head;
  if (!head || id != hosts_count(h))
    return FRONTIER_DAMAGED;
  bool was_there;
  host *who = hosts_make(h, name, size - head, &was_there);
  if (was_there)
    return FRONTIER_DAMAGED; /* two ids for one name */
  return who ? read_record(h, who, body, head == HOST_HEAD_2) : FRONTIER_NO_MEMORY;
}

frontier_status hosts_read_again(hosts *h, host *who, const uint8_t *body, size_t size)
{
  size_t head = head_of(body, size);
  if (!head || size - head != who->name_size || memcmp(body + head, who->name, who->name_size) != 0)
    return FRONTIER_DAMAGED;
  if (who->control)
    *who->control = (frontier_host_control){0};
  return read_record(h, who, body, head == HOST_HEAD_2);
}

frontier_status hosts_read_either(hosts *h, const uint8_t *body, size_t size, host **who)
{
  size_t head = head_of(body, size);
  *who = head ? hosts_look(h, (const char *)body + head, size - head) : NULL;
  if (*who)
    return hosts_read_again(h, *who, body, size);
  frontier_status status = hosts_read(h, hosts_count(h), body, size);
  *who = status == FRONTIER_OK ? hosts_at(h, (uint32_t)hosts_count(h) - 1) : NULL;
  return status;
}
