#include "mlbf/file/header.h"

#include <string.h>
#include <xxhash.h>

#include "mlbf/filter/rate.h"

enum {
  FORMAT_VERSION = 3,
  ENDIAN_MARK = 0x01020304,
  CHECKSUM_AT = MLBF_HEADER_BYTES - 8,
  FLAG_SIGNALS = 1,
  SLICES_MAX = 64,
};

static const char magic[8] = {'M', 'L', 'B', 'F', '\r', '\n', 0x1a, '\n'}; /* as PNG's: text modes destroy it */

uint64_t mlbf_image_bytes(const mlbf_header *header)
{
  return MLBF_HEADER_BYTES + header->body_bytes + header->block_count * sizeof(uint64_t);
}

static uint64_t checksum_of(const mlbf_header *header)
{
  return XXH3_64bits(header, CHECKSUM_AT);
}

void mlbf_header_fill(const mlbf_filter *filter, const uint64_t *table, uint32_t slice, uint32_t slice_count,
                      mlbf_header *header)
{
  const mlbf_plan *plan = &filter->plan;
  *header = (mlbf_header){
    .version = FORMAT_VERSION,
    .endian_mark = ENDIAN_MARK,
    .kind = plan->kind,
    .array_count = plan->array_count,
    .seed = filter->keying.seed,
    .design_keys = plan->keys,
    .rate = plan->rate,
    .keys = filter->keys,
    .body_bytes = filter->body_bytes,
    .block_count = mlbf_block_count(filter->body_bytes),
    .flags = (plan->signals ? FLAG_SIGNALS : 0),
    .profile_size = (uint32_t)strlen(filter->profile),
    .deep_set = filter->deep_set,
    .slice = slice,
    .slice_count = slice_count,
  };
  mlbf_keying_put(&filter->keying, &header->key);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->profile, filter->profile, header->profile_size);
  memcpy(header->layer_found, filter->layer_found, sizeof header->layer_found);
  for (uint32_t i = 0; i < plan->array_count; i++)
    header->arrays[i] = (mlbf_header_array){plan->arrays[i].layout, plan->arrays[i].hashes, plan->arrays[i].bits,
                                            mlbf_body_offset(plan, i), 0};
  header->table_checksum = XXH3_64bits(table, header->block_count * sizeof *table);
  header->checksum = checksum_of(header);
}

static bool is_zero(const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (((const char *)bytes)[i])
      return false;
  return true;
}

/* One array's shape: that it is one this library can place bits in. */
static bool array_is_sound(const mlbf_header_array *array)
{
  const mlbf_array_plan plan = {(mlbf_layout)array->layout, array->hashes, array->bits};
  return !array->reserved && array->bits <= UINT64_C(1) << 48 && mlbf_layout_fits(&plan);
}

/* Which layouts a kind puts where. */
static bool layouts_fit_kind(const mlbf_header *header)
{
  const mlbf_header_array *arrays = header->arrays;
  bool is_lined = arrays[0].layout != MLBF_LAYOUT_CLASSIC;
  bool has_signals = header->flags & FLAG_SIGNALS;
  switch (header->kind) {
  case MLBF_KIND_BLOOM: return header->array_count == 1 && !is_lined && !has_signals;
  case MLBF_KIND_LINE: return header->array_count == 1 && is_lined && !has_signals;
  case MLBF_KIND_MLBF:
    return header->array_count == (has_signals ? 3 : 2) && arrays[0].layout == MLBF_LAYOUT_TWO_LINES &&
           arrays[1].layout == MLBF_LAYOUT_LINE && (!has_signals || arrays[2].layout == MLBF_LAYOUT_CLASSIC);
  default: return false;
  }
}

static bool numbers_are_sound(const mlbf_header *header)
{
  bool flags_are_known = !(header->flags & ~(uint32_t)FLAG_SIGNALS);
  bool slice_exists = header->slice_count <= SLICES_MAX && header->slice < header->slice_count;
  bool rate_is_sound = header->rate > 0 && header->rate < 1; /* false for NaN */
  uint64_t deep_bits = header->flags & FLAG_SIGNALS ? header->arrays[2].bits : 0;
  return flags_are_known && slice_exists && rate_is_sound && header->design_keys > 0 && header->deep_set <= deep_bits;
}

static bool profile_is_sound(const mlbf_header *header)
{
  return header->profile_size < MLBF_PROFILE_SIZE && !memchr(header->profile, 0, header->profile_size) &&
         is_zero(header->profile + header->profile_size, MLBF_PROFILE_SIZE - header->profile_size) &&
         is_zero(header->zeros, sizeof header->zeros);
}

/* The plan in the header; false if mlbf_plan_make could not have made one of its arrays. */
static bool plan_read(const mlbf_header *header, mlbf_plan *plan)
{
  if (header->array_count < 1 || header->array_count > MLBF_ARRAYS_MAX)
    return false;
  *plan = (mlbf_plan){.kind = (mlbf_kind)header->kind,
                      .keys = header->design_keys,
                      .rate = header->rate,
                      .signals = header->flags & FLAG_SIGNALS,
                      .array_count = header->array_count};
  for (uint32_t i = 0; i < header->array_count; i++) {
    const mlbf_header_array *array = &header->arrays[i];
    if (!array_is_sound(array) || array->offset != mlbf_body_offset(plan, i))
      return false;
    plan->arrays[i] = (mlbf_array_plan){(mlbf_layout)array->layout, array->hashes, array->bits};
    plan->bits += array->bits;
  }
  size_t unused = (MLBF_HEADER_ARRAYS - header->array_count) * sizeof header->arrays[0];
  return is_zero(header->arrays + header->array_count, unused);
}

mlbf_status mlbf_header_check(const mlbf_header *header, uint64_t bytes_left, mlbf_plan *plan)
{
  if (memcmp(header->magic, magic, sizeof magic) != 0)
    return MLBF_NOT_A_FILTER;
  if (header->version != FORMAT_VERSION || header->endian_mark != ENDIAN_MARK)
    return MLBF_VERSION;
  if (header->checksum != checksum_of(header) || !plan_read(header, plan) || !layouts_fit_kind(header) ||
      !numbers_are_sound(header) || !profile_is_sound(header))
    return MLBF_DAMAGED;
  uint64_t body_bytes = mlbf_body_bytes(plan);
  if (header->body_bytes != body_bytes || header->block_count != mlbf_block_count(body_bytes) ||
      mlbf_image_bytes(header) > bytes_left)
    return MLBF_DAMAGED;
  return MLBF_OK;
}

void mlbf_header_restore(const mlbf_header *header, mlbf_filter *filter)
{
  filter->keys = header->keys;
  filter->deep_set = header->deep_set;
  memcpy(filter->layer_found, header->layer_found, sizeof filter->layer_found);
}
