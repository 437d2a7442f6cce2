/* See late_records.h. */
#include "frontier/late/late_records.h"

#include "frontier/base/record.h"

enum { MARKS_VERSION = 1, NEXT_NUMBER_AT = 4, MARKS_AT = 12, MARK = 24 };
enum { LATE_VERSION = 1, SETTLED_AT = 8, NEXT_AT = 16, ACCEPTED_AT = 24, EVER_AT = 32, FILES_AT = 40 };

run_mark run_marks_at(const uint8_t *body, size_t i)
{
  const uint8_t *at = body + MARKS_AT + i * MARK;
  return (run_mark){get_le(at, 8), get_le(at + 8, 8), get_le(at + 16, 8)};
}

bool run_marks_read(const uint8_t *body, size_t size, uint64_t log_keys, size_t *count)
{
  if (size < MARKS_AT || (size - MARKS_AT) % MARK || get_le(body, 4) != MARKS_VERSION)
    return false;
  uint64_t reached = 0, next_number = get_le(body + NEXT_NUMBER_AT, 8);
  *count = (size - MARKS_AT) / MARK;
  for (size_t i = 0; i < *count; i++) {
    run_mark m = run_marks_at(body, i);
    if (m.number >= next_number || m.from < reached || m.to <= m.from || m.to > log_keys)
      return false;
    reached = m.to;
  }
  return true;
}

doubts_mark late_record_file(const uint8_t *body, size_t i)
{
  const uint8_t *at = body + late_record_size(i);
  return (doubts_mark){get_le(at, 8), get_le(at + 8, 8), get_le(at + 16, 8)};
}

bool late_record_read(late_record *r, const uint8_t *body, size_t size)
{
  if (size < LATE_RECORD_SIZE || (size - LATE_RECORD_SIZE) % LATE_FILE_SIZE || *body != LATE_VERSION ||
      get_le(body + FILES_AT, 8) != (size - LATE_RECORD_SIZE) / LATE_FILE_SIZE)
    return false;
  late_record read = {.settled = get_le(body + SETTLED_AT, 8),
                      .next = get_le(body + NEXT_AT, 8),
                      .accepted = get_le(body + ACCEPTED_AT, 8),
                      .late = get_le(body + EVER_AT, 8),
                      .files = (size - LATE_RECORD_SIZE) / LATE_FILE_SIZE};
  if (read.settled < 1 || read.settled > read.next || read.accepted > read.next - read.settled)
    return false;
  uint64_t reached = 0;
  for (size_t i = 0; i < read.files; i++) {
    doubts_mark m = late_record_file(body, i);
    if (m.first < reached || m.first >= m.end || m.end > read.next || m.keys == 0 || m.keys > m.end - m.first)
      return false;
    reached = m.end;
  }
  *r = read;
  return true;
}

void late_record_write(const late_record *r, uint8_t *body)
{
  memset(body, 0, LATE_RECORD_SIZE);
  *body = LATE_VERSION;
  put_le(body + SETTLED_AT, r->settled, 8);
  put_le(body + NEXT_AT, r->next, 8);
  put_le(body + ACCEPTED_AT, r->accepted, 8);
  put_le(body + EVER_AT, r->late, 8);
  put_le(body + FILES_AT, r->files, 8);
}

void late_record_put_file(uint8_t *body, size_t i, doubts_mark file)
{
  uint8_t *at = body + late_record_size(i);
  put_le(at, file.first, 8);
  put_le(at + 8, file.end, 8);
  put_le(at + 16, file.keys, 8);
}
