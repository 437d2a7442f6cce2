/* One question in, one answer out. */
#include "tests/contract/web/serve_dns.h"

#include <string.h>

enum {
  HEAD = 12,
  TYPE_A = 1,
  CLASS_IN = 1,
  NAME_ERROR = 3,
  TTL_S = 3600,
};

/* "3www6site12" as "www.site12"; what follows it is at the offset returned, 0: no such name. */
static size_t read_name(const unsigned char *question, size_t size, char *name, size_t room)
{
  size_t at = HEAD, length = 0;
  while (at < size && question[at]) {
    size_t label = question[at++];
    if (label > 63 || at + label > size || length + label + 2 > room)
      return 0;
    if (length)
      name[length++] = '.';
    memcpy(name + length, question + at, label);
    length += label;
    at += label;
  }
  name[length] = '\0';
  return at < size && strlen(name) == length ? at + 1 : 0;
}

static void put_16(unsigned char *at, unsigned value)
{
  at[0] = (unsigned char)(value >> 8);
  at[1] = (unsigned char)value;
}

static size_t add_record(unsigned char *at, uint32_t address)
{
  put_16(at, 0xC000 | HEAD); /* the name that was asked for */
  put_16(at + 2, TYPE_A);
  put_16(at + 4, CLASS_IN);
  put_16(at + 6, TTL_S >> 16);
  put_16(at + 8, TTL_S & 0xFFFF);
  put_16(at + 10, 4);
  put_16(at + 12, address >> 16);
  put_16(at + 14, address & 0xFFFF);
  return 16;
}

size_t serve_dns_answer(const web *w, const unsigned char *question, size_t size, unsigned char answer[DNS_MESSAGE_MAX])
{
  char name[256];
  if (size < HEAD || size > DNS_MESSAGE_MAX - 16 || question[2] & 0x80 || question[4] || question[5] != 1)
    return 0;
  size_t end = read_name(question, size, name, sizeof name);
  if (!end || end + 4 > size)
    return 0;
  uint32_t host = web_find_host(w, name, strlen(name), NULL);
  if (host != WEB_NO_HOST && web_host_has(w, host, WEB_MUTE))
    return 0;
  uint32_t address = host == WEB_NO_HOST ? 0 : web_address(w, host);
  bool is_a = question[end] == 0 && question[end + 1] == TYPE_A;
  end += 4;
  memcpy(answer, question, end);
  answer[2] = (unsigned char)(0x84 | (question[2] & 1)); /* an answer, with authority */
  answer[3] = (unsigned char)(0x80 | (address ? 0 : NAME_ERROR));
  memset(answer + 6, 0, 6);
  answer[7] = address && is_a;
  return end + (address && is_a ? add_record(answer + end, address) : 0);
}
