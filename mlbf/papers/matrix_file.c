/* A matrix in a file: the documents' shingles; rows are built from them. FORMAT.md, "A table file". */
#include "mlbf/papers/matrix_inside.h"

#include <stdlib.h>

#include "mlbf/file/table.h"

enum { N, RATE, DOCUMENTS, SHINGLES, NUMBERS };

/* One for each document, in front of all shingles. */
typedef struct entry {
  uint64_t id, count;
} entry;

static const uint64_t items_most = UINT64_C(1) << 40;

static uint64_t body_bytes(const mlbf_table *table)
{
  uint64_t documents = table->numbers[DOCUMENTS], shingles = table->numbers[SHINGLES];
  for (int i = NUMBERS; i < MLBF_TABLE_NUMBERS; i++)
    if (table->numbers[i])
      return 0;
  if (documents > items_most || shingles > items_most || shingles < documents ||
      mlbf_matrix_row_bits(table->numbers[N], mlbf_table_double(table->numbers[RATE])) == 0)
    return 0;
  return documents ? documents * sizeof(entry) + shingles * sizeof(uint64_t) : sizeof(entry); /* never nothing */
}

mlbf_status mlbf_matrix_save(const mlbf_matrix *matrix, const char *path)
{
  size_t count = matrix->document_count;
  entry *entries = calloc(count + 1, sizeof *entries);
  mlbf_span *parts = calloc(count + 1, sizeof *parts);
  mlbf_status status = MLBF_NO_MEMORY;
  if (entries && parts) {
    mlbf_table table = {
      .kind = MLBF_TABLE_MATRIX,
      .numbers = {matrix->options.row_shingles, mlbf_table_number(matrix->options.rate), count, matrix->shingle_count}};
    table.body_bytes = body_bytes(&table);
    parts[0] = (mlbf_span){entries, (count ? count : 1) * sizeof *entries};
    for (size_t i = 0; i < count; i++) {
      const matrix_document *d = &matrix->documents[i];
      entries[i] = (entry){d->id, d->count};
      parts[i + 1] = (mlbf_span){d->shingles, d->count * sizeof *d->shingles};
    }
    status = mlbf_table_save(&table, parts, count + 1, path);
  }
  free(entries);
  free(parts);
  return status;
}

static bool is_ascending(const uint64_t *shingles, uint64_t count)
{
  for (uint64_t i = 1; i < count; i++)
    if (shingles[i] <= shingles[i - 1])
      return false;
  return true;
}

static mlbf_status read_documents(const mlbf_table *table, mlbf_matrix *m)
{
  uint64_t documents = table->numbers[DOCUMENTS], left = table->numbers[SHINGLES];
  const entry *entries = (const void *)table->body;
  uint64_t *shingles = (void *)(table->body + documents * sizeof *entries);
  for (uint64_t i = 0; i < documents; i++) {
    uint64_t count = entries[i].count;
    if (count == 0 || count > left || (i && entries[i].id <= entries[i - 1].id) || !is_ascending(shingles, count))
      return MLBF_DAMAGED;
    mlbf_status status = mlbf_matrix_add(m, entries[i].id, &(mlbf_shingles){.at = shingles, .count = (size_t)count});
    if (status != MLBF_OK)
      return status == MLBF_BAD_ARGUMENT ? MLBF_DAMAGED : status;
    shingles += count;
    left -= count;
  }
  return left ? MLBF_DAMAGED : MLBF_OK;
}

mlbf_status mlbf_matrix_load(const char *path, mlbf_matrix **matrix)
{
  mlbf_table table = {.body = NULL};
  mlbf_matrix *m = NULL;
  mlbf_status status = mlbf_table_open(path, MLBF_TABLE_MATRIX, NULL, false, body_bytes, &table);
  if (status != MLBF_OK)
    return status;
  mlbf_matrix_options options = {.row_shingles = table.numbers[N], .rate = mlbf_table_double(table.numbers[RATE])};
  status = mlbf_matrix_create(&options, &m);
  if (status == MLBF_OK)
    status = read_documents(&table, m);
  mlbf_table_drop(&table);
  if (status != MLBF_OK)
    mlbf_matrix_free(m);
  else
    *matrix = m;
  return status;
}
