/* See address_key.h. */
#include "crawler/http/address_key.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

/* No /64 begins so: ::/64 is neither unicast nor ours to tell apart. */
static uint64_t key_of_v4(const uint8_t bytes[4])
{
  return (uint64_t)1 << 32 | (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
}

static uint64_t key_of_v6(const uint8_t bytes[16])
{
  static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF}, nat64[12] = {0, 0x64, 0xFF, 0x9B}, to4[2] = {0x20, 2};
  if (memcmp(bytes, mapped, 12) == 0 || memcmp(bytes, nat64, 12) == 0)
    return key_of_v4(bytes + 12);
  if (memcmp(bytes, to4, 2) == 0)
    return key_of_v4(bytes + 2);
  uint64_t key = 0;
  for (int i = 0; i < 8; i++)
    key = key << 8 | bytes[i];
  return key ? key : 1; /* ::/64, ::1 among it */
}

uint64_t address_key(const struct sockaddr *address)
{
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  if (address->sa_family == AF_INET) {
    memcpy(&v4, address, sizeof v4);
    return key_of_v4((const uint8_t *)&v4.sin_addr);
  }
  if (address->sa_family != AF_INET6)
    return 0;
  memcpy(&v6, address, sizeof v6);
  return key_of_v6(v6.sin6_addr.s6_addr);
}

uint64_t address_key_of_text(const char *address)
{
  struct in_addr v4;
  struct in6_addr v6;
  if (inet_pton(AF_INET, address, &v4) == 1)
    return key_of_v4((const uint8_t *)&v4);
  return inet_pton(AF_INET6, address, &v6) == 1 ? key_of_v6(v6.s6_addr) : 0;
}

uint64_t address_key_of_host(const char *host, size_t size)
{
  char text[INET6_ADDRSTRLEN];
  size_t is_bracketed = size && *host == '[';
  const char *end = memchr(host, is_bracketed ? ']' : ':', size);
  size_t length = (end ? (size_t)(end - host) : size) - is_bracketed;
  if (length >= sizeof text)
    return 0;
  memcpy(text, host + is_bracketed, length);
  text[length] = '\0';
  return address_key_of_text(text);
}
