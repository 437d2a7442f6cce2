/* The rules of a robots.txt as one piece of memory: a head, the rules, the bytes that they point into. It is read by
 * the process that wrote it: numbers are as in memory. */
#include "crawler/robots/robots_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct packed_head {
  double crawl_delay;
  uint64_t rule_count, byte_count;
} packed_head;

size_t robots_memory(const robots *file)
{
  enum { ALLOCATIONS = 4 * 16 };
  return sizeof *file + ALLOCATIONS + (file->rule_count + 1) * sizeof *file->rules +
         (file->sitemap_count + 1) * sizeof *file->sitemaps + file->byte_count + 1;
}

void *robots_pack(const robots *file, size_t *size)
{
  packed_head head = {file->crawl_delay, file->rule_count, file->byte_count};
  size_t rules = file->rule_count * sizeof *file->rules;
  char *packed = malloc(sizeof head + rules + file->byte_count);
  if (!packed)
    return NULL;
  memcpy(packed, &head, sizeof head);
  memcpy(packed + sizeof head, file->rules, rules);
  memcpy(packed + sizeof head + rules, file->bytes, file->byte_count);
  *size = sizeof head + rules + file->byte_count;
  return packed;
}

robots *robots_unpack(const void *packed, size_t size)
{
  packed_head head;
  if (size < sizeof head)
    return NULL;
  memcpy(&head, packed, sizeof head);
  size_t rules = head.rule_count * sizeof(rule), left = size - sizeof head;
  if (head.rule_count > left / sizeof(rule) || head.byte_count != left - rules)
    return NULL;
  robots *file = calloc(1, sizeof *file);
  if (!file)
    return NULL;
  file->rules = malloc(rules + sizeof(rule));
  file->sitemaps = calloc(1, sizeof *file->sitemaps);
  file->bytes = malloc(head.byte_count + 1);
  if (!file->rules || !file->sitemaps || !file->bytes) {
    robots_free(file);
    return NULL;
  }
  memcpy(file->rules, (const char *)packed + sizeof head, rules);
  memcpy(file->bytes, (const char *)packed + sizeof head + rules, head.byte_count);
  file->crawl_delay = head.crawl_delay;
  file->rule_count = head.rule_count;
  file->byte_count = head.byte_count;
  return file;
}

robots *robots_copy(const robots *file)
{
  size_t size;
  void *packed = robots_pack(file, &size);
  robots *copy = packed ? robots_unpack(packed, size) : NULL;
  free(packed);
  return copy;
}
