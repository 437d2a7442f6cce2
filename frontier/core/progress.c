/* See progress.h. */
#include "frontier/core/progress.h"

#include "frontier/base/record.h"

void progress_write(const progress *p, uint8_t body[PROGRESS_SIZE])
{
  const uint64_t values[PROGRESS_SIZE / 8] = {
    p->next_sequence,
    p->log_keys,
    p->checkpoint_keys,
    p->checkpoint_slot,
    p->done,
    p->failed,
    p->skipped,
    p->outcomes[0],
    p->outcomes[1],
    p->outcomes[2],
    p->outcomes[3],
    p->outcomes[4],
    double_bits(p->expected_lost),
  };
  for (size_t i = 0; i < PROGRESS_SIZE / 8; i++)
    put_le(body + 8 * i, values[i], 8);
}

bool progress_read(progress *p, const uint8_t *body, size_t size)
{
  if (size != PROGRESS_SIZE)
    return false;
  p->next_sequence = get_le(body + 0, 8);
  p->log_keys = get_le(body + 8, 8);
  p->checkpoint_keys = get_le(body + 16, 8);
  p->checkpoint_slot = get_le(body + 24, 8) & 1;
  p->done = get_le(body + 32, 8);
  p->failed = get_le(body + 40, 8);
  p->skipped = get_le(body + 48, 8);
  for (int i = 0; i <= FRONTIER_NEW_COMBINATION; i++)
    p->outcomes[i] = get_le(body + 56 + 8 * i, 8);
  p->expected_lost = double_of(get_le(body + 96, 8));
  return p->log_keys + 1 == p->next_sequence && p->checkpoint_keys <= p->log_keys; /* else no transaction of ours */
}

bool progress_has_acceptance(const progress *p)
{
  return p->noted || p->forced || p->outcomes[FRONTIER_KNOWN_BEFORE];
}

void acceptance_write(const progress *p, uint8_t body[ACCEPTANCE_SIZE])
{
  put_le(body + 0, p->noted, 8);
  put_le(body + 8, p->forced, 8);
  put_le(body + 16, p->outcomes[FRONTIER_KNOWN_BEFORE], 8);
}

bool acceptance_read(progress *p, const uint8_t *body, size_t size)
{
  if (size != ACCEPTANCE_SIZE)
    return false;
  p->noted = get_le(body + 0, 8);
  p->forced = get_le(body + 8, 8);
  p->outcomes[FRONTIER_KNOWN_BEFORE] = get_le(body + 16, 8);
  return true;
}
