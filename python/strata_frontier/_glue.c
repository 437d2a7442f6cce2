/* What Python calls in place of some functions of the libraries: it gives the links of a batch as one buffer of bytes
 * and some arrays of numbers, so that a link costs no struct made field by field in Python. */
#include "_glue.h"

#include <string.h>

enum { AT_ONCE = 64 };

/* The next `size` bytes; NULL if it is 0. */
static const char *take(const char **bytes, uint32_t size)
{
  const char *taken = size > 0 ? *bytes : NULL;
  *bytes += size;
  return taken;
}

static const char *read_link(const glue_link *from, const char *bytes, mlbf_span *key, frontier_text *text)
{
  *text = (frontier_text){0};
  text->href = bytes;
  text->href_size = from->target_size;
  bytes += from->target_size;
  key->bytes = take(&bytes, from->key_size);
  key->size = from->key_size;
  text->key = from->key_size > 0 ? key : NULL;
  text->key_count = from->key_size > 0 ? 1 : 0;
  text->payload = take(&bytes, from->payload_size);
  text->payload_size = from->payload_size;
  text->group = take(&bytes, from->group_size);
  text->group_size = from->group_size;
  text->priority = from->priority;
  text->is_opaque = from->is_opaque != 0;
  text->not_before_ms = from->not_before_ms;
  text->origin = (frontier_origin){.via = from->via, .depth = (uint16_t)from->depth};
  return bytes;
}

static frontier_status glue_add(frontier *f, const url_base *base, const glue_link *links, size_t count,
                                const char *bytes, uint64_t now_ms, glue_answer *answers, size_t *settled)
{
  frontier_text texts[AT_ONCE];
  mlbf_span keys[AT_ONCE];
  frontier_answer got[AT_ONCE];
  const frontier_text_rules rules = {.base = base};
  frontier_status status = FRONTIER_OK;
  *settled = 0;
  while (status == FRONTIER_OK && *settled < count) {
    size_t n = count - *settled < AT_ONCE ? count - *settled : AT_ONCE;
    for (size_t i = 0; i < n; i++)
      bytes = read_link(&links[*settled + i], bytes, &keys[i], &texts[i]);
    size_t done = 0;
    status = frontier_add_texts(f, &rules, texts, n, now_ms, got, &done);
    for (size_t i = 0; i < done; i++)
      answers[*settled + i] = (glue_answer){
        .id = got[i].id,
        .url = (int32_t)got[i].url,
        .outcome = (int32_t)got[i].verdict.outcome,
      };
    *settled += done;
  }
  return status;
}

static url_status glue_target(const glue_link *from, const char *bytes, glue_one *one)
{
  frontier_text text;
  read_link(from, bytes, &one->key, &text);
  one->link = (frontier_link){
    .origin = text.origin,
    .key = text.key,
    .key_count = text.key_count,
    .payload = text.payload,
    .payload_size = text.payload_size,
    .group = text.group,
    .group_size = text.group_size,
    .priority = text.priority,
    .not_before_ms = text.not_before_ms,
  };
  if (text.is_opaque) {
    one->link.opaque = text.href;
    one->link.opaque_size = text.href_size;
    return URL_OK;
  }
  one->link.target = &one->target;
  return url_parse(text.href, text.href_size, one->profile, &one->target);
}

static int glue_knows(frontier *f, const char *key, size_t size)
{
  frontier_verdict verdict;
  const mlbf_span span = {.bytes = key, .size = size};
  const frontier_link link = {
    .opaque = "-", .opaque_size = 1, .group = "-", .group_size = 1, .key = &span, .key_count = 1};
  frontier_status status = frontier_lookup_batch(f, &link, 1, &verdict);
  return status == FRONTIER_OK ? verdict.outcome == FRONTIER_SEEN : -(int)status;
}

static mlbf_status glue_chain_keys(mlbf_chain *chain, const char *bytes, const uint32_t *sizes, size_t count,
                                   bool is_insert, uint8_t *was_new)
{
  mlbf_span texts[AT_ONCE];
  mlbf_key keys[AT_ONCE];
  mlbf_verdict verdicts[AT_ONCE];
  for (size_t begin = 0; begin < count; begin += AT_ONCE) {
    size_t n = count - begin < AT_ONCE ? count - begin : AT_ONCE, done = n;
    mlbf_status status = MLBF_OK;
    for (size_t i = 0; i < n; bytes += texts[i++].size) {
      texts[i] = (mlbf_span){.bytes = bytes, .size = sizes[begin + i]};
      keys[i] = (mlbf_key){.segments = &texts[i], .count = 1};
    }
    if (is_insert)
      status = mlbf_chain_insert(chain, keys, n, verdicts, &done);
    else
      mlbf_chain_test(chain, keys, n, verdicts);
    for (size_t i = 0; i < done; i++)
      was_new[begin + i] = verdicts[i].outcome != MLBF_SEEN;
    if (status != MLBF_OK)
      return status;
  }
  return MLBF_OK;
}
