/* See ssrf_guard.h. Two tables of prefixes; an IPv6 address that carries an IPv4 one is judged by that too. */
#include "crawler/http/ssrf_guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static const struct {
  uint32_t network;
  int bits;
} private_v4[] = {
  {0x00000000, 8},  /* "this" network, RFC 791 */
  {0x0A000000, 8},  /* private, RFC 1918 */
  {0x64400000, 10}, /* carrier-grade NAT, RFC 6598 */
  {0x7F000000, 8},  /* loopback */
  {0xA9FE0000, 16}, /* link-local, and the clouds' metadata 169.254.169.254 */
  {0xAC100000, 12}, /* private, RFC 1918 */
  {0xC0000000, 24}, /* IETF protocol assignments, RFC 6890 */
  {0xC0000200, 24}, /* documentation, RFC 5737 */
  {0xC0586300, 24}, /* 6to4 relay, deprecated, RFC 7526 */
  {0xC0A80000, 16}, /* private, RFC 1918 */
  {0xC6120000, 15}, /* benchmarking, RFC 2544 */
  {0xC6336400, 24}, /* documentation */
  {0xCB007100, 24}, /* documentation */
  {0xE0000000, 4},  /* multicast */
  {0xF0000000, 4},  /* reserved, and broadcast */
};

static bool v4_is_public(uint32_t address)
{
  for (size_t i = 0; i < sizeof private_v4 / sizeof *private_v4; i++)
    if ((address ^ private_v4[i].network) >> (32 - private_v4[i].bits) == 0)
      return false;
  return true;
}

static uint32_t v4_at(const uint8_t *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool has_prefix(const uint8_t address[16], const char *prefix, size_t bytes)
{
  return memcmp(address, prefix, bytes) == 0;
}

static bool v6_is_public(const uint8_t a[16])
{
  if (has_prefix(a, "\0\0\0\0\0\0\0\0\0\0\xFF\xFF", 12)) /* ::ffff:a.b.c.d */
    return v4_is_public(v4_at(a + 12));
  if (has_prefix(a, "\0\x64\xFF\x9B\0\0\0\0\0\0\0\0", 12)) /* 64:ff9b::a.b.c.d, NAT64, RFC 6052 */
    return v4_is_public(v4_at(a + 12));
  if (has_prefix(a, "\x20\x02", 2)) /* 6to4 carries an IPv4 address */
    return v4_is_public(v4_at(a + 2));
  if (has_prefix(a, "\x20\x01", 2) && a[2] < 2) /* 2001::/23, protocols: Teredo, benchmarking, ORCHID, anycast */
    return false;
  if (has_prefix(a, "\x20\x01\x0D\xB8", 4) || (has_prefix(a, "\x3F\xFF", 2) && a[2] < 16)) /* documentation */
    return false;
  return (a[0] & 0xE0) == 0x20; /* 2000::/3 is all global unicast: not ::1, 100::, 5f00::, ULA, link-local, multicast */
}

bool ssrf_address_is_public(const struct sockaddr *address)
{
  if (address->sa_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, address, sizeof v4);
    return v4_is_public(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6) {
    struct sockaddr_in6 v6;
    memcpy(&v6, address, sizeof v6);
    return v6_is_public(v6.sin6_addr.s6_addr);
  }
  return false;
}

bool ssrf_text_is_public(const char *address)
{
  struct in_addr v4;
  struct in6_addr v6;
  if (inet_pton(AF_INET, address, &v4) == 1)
    return v4_is_public(ntohl(v4.s_addr));
  return inet_pton(AF_INET6, address, &v6) == 1 && v6_is_public(v6.s6_addr);
}

/* Of a name without its last dots. */
static const char *last_label(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

/* Names of the local network alone: RFC 6761, 6762 and 8375, ICANN's "internal", what routers give to their own, and
 * what has no dot at all. */
static bool is_local(const char *name)
{
  static const char *const ends[] = {"localhost", "localdomain", "localdomain6", "localdomain4",
                                     "internal",  "local",       "lan",          "home.arpa"};
  size_t size = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (size > end && name[size - end - 1] == '.' && strcasecmp(name + size - end, ends[i]) == 0)
      return true;
  }
  return !strchr(name, '.') || strcasecmp(name, "home.arpa") == 0;
}

/* As in browsers: who ends in a number is an IPv4 address, or nothing. */
static bool ends_in_number(const char *name)
{
  const char *label = last_label(name);
  bool is_hex = label[0] == '0' && (label[1] == 'x' || label[1] == 'X');
  return *label &&
         strspn(label + 2 * is_hex, is_hex ? "0123456789abcdefABCDEF" : "0123456789") == strlen(label + 2 * is_hex);
}

bool ssrf_host_is_public(const char *host, size_t size)
{
  char name[256];
  bool is_bracketed = size && *host == '[';
  const char *end = memchr(host, is_bracketed ? ']' : ':', size);
  size_t length = (end ? (size_t)(end - host) : size) - is_bracketed;
  if (length >= sizeof name)
    return false;
  memcpy(name, host + is_bracketed, length);
  name[length] = '\0';
  if (is_bracketed)
    return end && ssrf_text_is_public(name);
  while (length && name[length - 1] == '.')
    name[--length] = '\0';
  struct in_addr v4;
  if (ends_in_number(name)) /* inet_aton reads parts that are missing, octal and hexadecimal */
    return inet_aton(name, &v4) && v4_is_public(ntohl(v4.s_addr));
  return !is_local(name);
}
