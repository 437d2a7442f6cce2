/* See exchange_carrier.h. */
#include "tests/support/exchange_carrier.h"

#include "tests/site/random.h"

#include <stdlib.h>
#include <string.h>

static uint64_t roll(carrier *c, uint64_t sides)
{
  return random_next(c->dice) % sides;
}

static void put(carrier *c, inbox *in, uint16_t message)
{
  if (in->count == INBOX_MAX) /* it loses one */
    in->at[roll(c, INBOX_MAX)] = message;
  else
    in->at[in->count++] = message;
}

void carrier_post(carrier *c, uint32_t to, const void *bytes, size_t size)
{
  unsigned number = c->count;
  if (number == MESSAGES_MAX || (!c->is_faithful && roll(c, 8) == 0))
    return;
  c->messages[number] = (struct message){malloc(size), size};
  memcpy(c->messages[number].bytes, bytes, size);
  c->count++;
  put(c, &c->now.inboxes[to], (uint16_t)number);
  if (!c->is_faithful && roll(c, 8) == 0)
    put(c, &c->now.inboxes[to], (uint16_t)number);
}

const struct message *carrier_get(carrier *c, uint32_t to)
{
  inbox *in = &c->now.inboxes[to];
  if (!in->count)
    return NULL;
  size_t i = roll(c, in->count);
  uint16_t number = in->at[i];
  if (c->is_faithful || roll(c, 8))
    in->at[i] = in->at[--in->count];
  return &c->messages[number];
}

void carrier_post_reply(carrier *c, const frontier_reply *reply)
{
  c->now.replies[reply->partition] = *reply;
  c->replies[reply->partition][roll(c, REPLIES_MAX)] = *reply;
}

void carrier_repeat_reply(carrier *c, uint32_t partition)
{
  const frontier_reply *old = &c->replies[partition][roll(c, REPLIES_MAX)];
  if (old->wave)
    c->now.replies[partition] = *old;
}

void carrier_empty(carrier *c)
{
  c->now = (carried){0};
}

void carrier_save(carrier *c)
{
  c->saved = c->now;
  c->has_saved = true;
}

bool carrier_turn_back(carrier *c)
{
  if (c->has_saved)
    c->now = c->saved;
  return c->has_saved;
}

void carrier_free(carrier *c)
{
  for (unsigned i = 0; i < c->count; i++)
    free(c->messages[i].bytes);
}
