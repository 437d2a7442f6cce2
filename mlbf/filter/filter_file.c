/* Filters on disk: what a filter is, as the numbers of a file of blocks (block_file.h), and back.
 *
 * Always: numbers are believed only if mlbf_plan_make could have made them and all agree: an attacker's file may have
 * correct checksums. The numbers that a kind does not use are zero.
 *
 * Called by filter.h's functions, and by chain.c and rebuild.c. */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/rate.h"

enum {
  KIND,
  DESIGN_KEYS,
  RATE,
  KEYS,
  SIGNALS,
  SLICE,
  SLICES,
  DEEP_SET,
  ARRAY_COUNT,
  ARRAYS, /* three numbers each */
  LAYER_FOUND = ARRAYS + 3 * MLBF_ARRAYS_MAX,
  USED = LAYER_FOUND + MLBF_LAYERS_MAX,
};
enum { LAYOUT, HASHES, BITS };

enum { SLICES_MAX = 64 };

static const uint64_t KEYS_MOST = UINT64_C(1) << 48; /* a filter has no more bits */

_Static_assert((int)USED <= (int)MLBF_NUMBERS, "a filter's numbers fit in a header");

void mlbf_filter_numbers(const mlbf_filter *filter, uint32_t slice, uint32_t slice_count,
                         uint64_t numbers[MLBF_NUMBERS])
{
  const mlbf_plan *plan = &filter->plan;
  memset(numbers, 0, MLBF_NUMBERS * sizeof *numbers);
  numbers[KIND] = plan->kind;
  numbers[DESIGN_KEYS] = plan->keys;
  numbers[RATE] = mlbf_double_number(plan->rate);
  numbers[KEYS] = filter->keys;
  numbers[SIGNALS] = plan->signals;
  numbers[SLICE] = slice;
  numbers[SLICES] = slice_count;
  numbers[DEEP_SET] = filter->deep_set;
  numbers[ARRAY_COUNT] = plan->array_count;
  for (uint32_t i = 0; i < plan->array_count; i++) {
    numbers[ARRAYS + 3 * i + LAYOUT] = plan->arrays[i].layout;
    numbers[ARRAYS + 3 * i + HASHES] = plan->arrays[i].hashes;
    numbers[ARRAYS + 3 * i + BITS] = plan->arrays[i].bits;
  }
  memcpy(&numbers[LAYER_FOUND], filter->layer_found, sizeof filter->layer_found);
}

/* One array's shape: that it is one this library can place bits in. */
static bool read_array(const uint64_t *numbers, mlbf_array_plan *array)
{
  *array = (mlbf_array_plan){(mlbf_layout)numbers[LAYOUT], (uint32_t)numbers[HASHES], numbers[BITS]};
  return numbers[LAYOUT] <= MLBF_LAYOUT_TWO_LINES && numbers[HASHES] <= MLBF_HASHES_MAX &&
         numbers[BITS] <= UINT64_C(1) << 48 && mlbf_layout_fits(array);
}

/* Which layouts a kind puts where. */
static bool layouts_fit_kind(const mlbf_plan *plan)
{
  const mlbf_array_plan *arrays = plan->arrays;
  bool is_lined = arrays[MLBF_INTEGRITY].layout != MLBF_LAYOUT_CLASSIC;
  switch (plan->kind) {
  case MLBF_KIND_BLOOM: return plan->array_count == 1 && !is_lined && !plan->signals;
  case MLBF_KIND_LINE: return plan->array_count == 1 && is_lined && !plan->signals;
  case MLBF_KIND_MLBF:
    return plan->array_count == (plan->signals ? 3 : 2) && arrays[MLBF_INTEGRITY].layout == MLBF_LAYOUT_TWO_LINES &&
           arrays[MLBF_HOSTS].layout == MLBF_LAYOUT_LINE &&
           (!plan->signals || arrays[MLBF_DEEP].layout == MLBF_LAYOUT_CLASSIC);
  default: return false;
  }
}

static bool is_zero(const uint64_t *numbers, size_t count)
{
  while (count > 0 && numbers[count - 1] == 0)
    count--;
  return count == 0;
}

/* The plan in a header; false if mlbf_plan_make could not have made it. */
static bool read_plan(const uint64_t numbers[MLBF_NUMBERS], mlbf_plan *plan)
{
  double rate = mlbf_number_double(numbers[RATE]);
  uint64_t count = numbers[ARRAY_COUNT];
  if (!(rate > 0 && rate < 1) || numbers[DESIGN_KEYS] == 0 || numbers[DESIGN_KEYS] > KEYS_MOST ||
      numbers[KEYS] > KEYS_MOST || numbers[KIND] > UINT32_MAX || numbers[SIGNALS] > 1 || count < 1 ||
      count > MLBF_ARRAYS_MAX) /* the rate may be no number */
    return false;
  *plan = (mlbf_plan){.kind = (mlbf_kind)numbers[KIND],
                      .keys = numbers[DESIGN_KEYS],
                      .rate = rate,
                      .signals = numbers[SIGNALS],
                      .array_count = (uint32_t)count};
  for (uint32_t i = 0; i < count; i++) {
    if (!read_array(&numbers[ARRAYS + 3 * i], &plan->arrays[i]))
      return false;
    plan->bits += plan->arrays[i].bits;
  }
  uint64_t deep_bits = plan->signals && count > MLBF_DEEP ? plan->arrays[MLBF_DEEP].bits : 0;
  return layouts_fit_kind(plan) && is_zero(&numbers[ARRAYS + 3 * count], 3 * (MLBF_ARRAYS_MAX - count)) &&
         is_zero(&numbers[USED], MLBF_NUMBERS - USED) && numbers[SLICES] <= SLICES_MAX &&
         numbers[SLICE] < numbers[SLICES] && numbers[DEEP_SET] <= deep_bits;
}

uint64_t mlbf_filter_body_bytes(const mlbf_block_file *file)
{
  mlbf_plan plan;
  bool is_keyed = file->keying.origin != MLBF_SECRET_NONE;
  return is_keyed && read_plan(file->numbers, &plan) ? mlbf_body_bytes(&plan) : 0;
}

uint32_t mlbf_filter_slice(const mlbf_block_file *file, uint32_t *slice_count)
{
  *slice_count = (uint32_t)file->numbers[SLICES];
  return (uint32_t)file->numbers[SLICE];
}

mlbf_status mlbf_filter_adopt(const mlbf_block_file *file, mlbf_filter **filter)
{
  mlbf_plan plan;
  bool is_plan = read_plan(file->numbers, &plan);
  assert(is_plan); /* as the body's sizer found */
  (void)is_plan;
  mlbf_status status = mlbf_filter_make_over(&plan, file, filter);
  if (status != MLBF_OK)
    return status;
  (*filter)->keys = file->numbers[KEYS];
  (*filter)->deep_set = file->numbers[DEEP_SET];
  memcpy((*filter)->layer_found, &file->numbers[LAYER_FOUND], sizeof(*filter)->layer_found);
  return MLBF_OK;
}

mlbf_status mlbf_save(const mlbf_filter *filter, const char *path)
{
  mlbf_block_file file = filter->file;
  const mlbf_span body = {file.body, file.body_bytes};
  assert_filter(filter);
  mlbf_filter_numbers(filter, 0, 1, file.numbers);
  return mlbf_block_file_save(AT_FDCWD, path, &file, &body, 1);
}

/* No chain's. */
static uint64_t body_bytes_alone(const mlbf_block_file *file)
{
  uint64_t bytes = mlbf_filter_body_bytes(file);
  return bytes > 0 && file->numbers[SLICES] > 1 ? MLBF_BODY_OF_ANOTHER : bytes;
}

mlbf_status mlbf_load(const char *path, const uint8_t *secret, mlbf_filter **filter)
{
  mlbf_block_file file;
  mlbf_status status = mlbf_block_file_load(path, MLBF_FILE_FILTER, secret, body_bytes_alone, &file);
  return status == MLBF_OK ? mlbf_filter_adopt(&file, filter) : status;
}

mlbf_status mlbf_map(const char *path, const uint8_t *secret, mlbf_filter **filter)
{
  mlbf_block_file file;
  mlbf_status status = mlbf_block_file_map(path, MLBF_FILE_FILTER, secret, body_bytes_alone, &file);
  if (status != MLBF_OK)
    return status;
  madvise(file.memory.begin, file.memory.bytes, MADV_RANDOM); /* a key's lines have no neighbours */
  return mlbf_filter_adopt(&file, filter);
}
