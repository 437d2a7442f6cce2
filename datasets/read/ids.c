/* The URL of an id: records sorted by page, in a file of fixed size each, and their texts in another.
 *
 * Always: a look-up reads what was written and sorted; an id that came twice has the URL that came first. Files are
 * unlinked as they are made, so a crash leaves nothing. Called by urlset.c. */
#include "datasets/read/ids.h"
#include "datasets/read/reader.h"
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ID_SIZE = 33 }; /* two numbers of 16 hex digits, and a '-' */

typedef struct id_record {
  uint64_t page, host, place; /* of the URL in `texts` */
} id_record;

struct url_ids {
  spool *texts;   /* size (4 bytes), bytes, size, bytes, ... */
  spool *records; /* id_record by (page, host); of rows with one id, the first is found */
  uint64_t count;
};

static int by_id(const void *a, const void *b)
{
  const id_record *one = a, *two = b;
  if (one->page != two->page)
    return one->page < two->page ? -1 : 1;
  return (one->host > two->host) - (one->host < two->host);
}

static int by_id_and_place(const void *a, const void *b)
{
  const id_record *one = a, *two = b;
  int ids = by_id(a, b);
  return ids != 0 ? ids : (one->place > two->place) - (one->place < two->place);
}

static id_record record_of(text_span id, uint64_t place)
{
  char digits[ID_SIZE + 1];
  memcpy(digits, id.bytes, ID_SIZE);
  digits[ID_SIZE] = '\0';
  return (id_record){strtoull(digits, NULL, 16), strtoull(digits + 17, NULL, 16), place};
}

static bool add_row(url_ids *to, text_span row, text_span text, sorter *records)
{
  uint32_t size = (uint32_t)text.size;
  id_record record = record_of(row, spool_size(to->texts));
  to->count++;
  return sorter_add(records, &record) && spool_write(to->texts, &size, sizeof size) &&
         spool_write(to->texts, text.bytes, text.size);
}

static bool write_index(url_ids *table, sorter *records)
{
  if (!sorter_finish(records))
    return false;
  for (const id_record *record; (record = sorter_next(records)) != NULL;)
    if (!spool_write(table->records, record, sizeof *record))
      return false;
  return spool_finish(table->texts) && spool_finish(table->records);
}

/* NULL, or why not. */
static const char *read_table(url_ids *to, dataset_reader *reader, sorter *records)
{
  char scratch[FORMAT_SCRATCH_SIZE];
  text_span row, text;
  dataset_status status;
  while ((status = dataset_next(reader, &row.bytes, &row.size)) == DATASET_OK) {
    if (format_sogout_ids(row, &text, scratch) != ROW_URL)
      dataset_refuse(reader, DATASET_MALFORMED);
    else if (!add_row(to, row, text, records))
      return strerror(errno);
  }
  if (status != DATASET_END)
    return dataset_failure_text(status);
  if (to->count == 0)
    return "no row of it is an id, a TAB and a URL";
  return write_index(to, records) ? NULL : strerror(errno);
}

url_ids *ids_open(const char *path, const char *directory, const char **reason)
{
  url_ids *made = calloc(1, sizeof *made);
  if (made == NULL) {
    *reason = "out of memory";
    return NULL;
  }
  dataset_reader *reader = dataset_open(path);
  sorter *records = sorter_create(directory, sizeof(id_record), by_id_and_place, SORTER_MEMORY);
  made->texts = spool_create(directory);
  made->records = spool_create(directory);
  bool is_ready = reader && records && made->texts && made->records;
  *reason = is_ready ? read_table(made, reader, records) : strerror(errno);
  dataset_close(reader);
  sorter_free(records);
  if (*reason == NULL)
    return made;
  ids_close(made);
  return NULL;
}

void ids_close(url_ids *old)
{
  if (old == NULL)
    return;
  spool_free(old->texts);
  spool_free(old->records);
  free(old);
}

bool ids_find(const url_ids *table, text_span id, text_span *url)
{
  if (id.size != ID_SIZE)
    return false;
  assert(spool_size(table->records) == table->count * sizeof(id_record));
  const id_record *records = spool_bytes(table->records);
  id_record wanted = record_of(id, 0);
  uint64_t low = 0, high = table->count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (by_id(&records[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == table->count || by_id(&records[low], &wanted) != 0)
    return false;
  const char *text = (const char *)spool_bytes(table->texts) + records[low].place;
  uint32_t size;
  memcpy(&size, text, sizeof size);
  assert(records[low].place + sizeof size + size <= spool_size(table->texts));
  *url = (text_span){text + sizeof size, size};
  return true;
}
