/* crawler/http/ssrf_guard.c: which addresses a crawler may be led to. Rows are the edges of the registries' ranges. */
#include "crawler/http/ssrf_guard.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

static const struct {
  const char *address;
  bool is_public;
  const char *why;
} rows[] = {
  {"0.0.0.0", false, "this host: Linux connects it to loopback"},
  {"0.255.255.255", false, "end of 0/8"},
  {"1.1.1.1", true, "public"},
  {"9.255.255.255", true, "just before 10/8"},
  {"10.0.0.0", false, "RFC 1918"},
  {"10.255.255.255", false, "RFC 1918"},
  {"11.0.0.0", true, "just after 10/8"},
  {"100.63.255.255", true, "just before carrier-grade NAT"},
  {"100.64.0.0", false, "carrier-grade NAT"},
  {"100.127.255.255", false, "carrier-grade NAT"},
  {"100.128.0.0", true, "just after it"},
  {"127.0.0.1", false, "loopback"},
  {"127.255.255.255", false, "all of 127/8 is loopback"},
  {"169.253.255.255", true, "just before link-local"},
  {"169.254.169.254", false, "the clouds' metadata service"},
  {"169.255.0.0", true, "just after link-local"},
  {"172.15.255.255", true, "just before 172.16/12"},
  {"172.16.0.0", false, "RFC 1918"},
  {"172.31.255.255", false, "RFC 1918"},
  {"172.32.0.0", true, "just after it"},
  {"192.0.0.1", false, "protocol assignments"},
  {"192.0.2.1", false, "documentation"},
  {"192.88.99.1", false, "6to4 relay"},
  {"192.168.0.1", false, "RFC 1918"},
  {"192.169.0.0", true, "just after it"},
  {"198.17.255.255", true, "just before benchmarking"},
  {"198.18.0.0", false, "benchmarking"},
  {"198.19.255.255", false, "benchmarking"},
  {"198.20.0.0", true, "just after it"},
  {"198.51.100.7", false, "documentation"},
  {"203.0.113.7", false, "documentation"},
  {"223.255.255.255", true, "just before multicast"},
  {"224.0.0.1", false, "multicast"},
  {"240.0.0.1", false, "reserved"},
  {"255.255.255.255", false, "broadcast"},
  {"::", false, "unspecified"},
  {"::1", false, "loopback"},
  {"::8.8.8.8", false, "IPv4-compatible, deprecated"},
  {"::ffff:127.0.0.1", false, "v4-mapped loopback"},
  {"::ffff:8.8.8.8", true, "v4-mapped public"},
  {"64:ff9b::10.0.0.1", false, "NAT64 of a private address"},
  {"64:ff9b::8.8.8.8", true, "NAT64 of a public address"},
  {"64:ff9b:1::1", false, "local-use NAT64"},
  {"100::1", false, "discard only"},
  {"2001::1", false, "Teredo"},
  {"2001:db8::1", false, "documentation"},
  {"2001:4860:4860::8888", true, "public"},
  {"2002:7f00:1::", false, "6to4 of loopback"},
  {"2002:808:808::", true, "6to4 of a public address"},
  {"2000::1", true, "begin of 2000::/3"},
  {"2001:1::4", false, "protocol assignments"},
  {"2001:2::1", false, "benchmarking"},
  {"2001:2:0:ffff::1", false, "benchmarking"},
  {"2001:10::1", false, "ORCHID, deprecated"},
  {"2001:20::1", false, "ORCHIDv2: hashes, no hosts"},
  {"2001:1ff:ffff::1", false, "end of protocol assignments, 2001::/23"},
  {"2001:200::1", true, "just after it"},
  {"2001:db9::1", true, "just after documentation"},
  {"2002:a00:1::1", false, "6to4 of a private address"},
  {"3ffe:ffff::1", true, "just before documentation"},
  {"3fff::1", false, "documentation, RFC 9637"},
  {"3fff:fff:ffff::1", false, "end of documentation"},
  {"3fff:1000::1", true, "just after it"},
  {"3fff:ffff::1", true, "end of 2000::/3"},
  {"4000::1", false, "not global unicast"},
  {"5f00::1", false, "segment routing, RFC 9602"},
  {"100:0:0:1::1", false, "dummy prefix, RFC 9780"},
  {"::ffff:0:127.0.0.1", false, "translated, RFC 2765"},
  {"fec0::1", false, "site-local, deprecated"},
  {"fc00::1", false, "unique local"},
  {"fd12:3456::1", false, "unique local"},
  {"fe80::1", false, "link-local"},
  {"ff02::1", false, "multicast"},
  {"example.org", false, "not an address"},
  {"", false, "not an address"},
};

static const struct {
  const char *host;
  bool is_public;
} hosts[] = {
  {"example.org", true},
  {"example.org:8080", true},
  {"example.org.", true},
  {"8.8.8.8", true},
  {"8.8.8.8:80", true},
  {"[2606:4700::1]:443", true},
  {"localhost.example.org", true},
  {"internal.example.org", true},
  {"notinternal", false}, /* no dot: a name of the local network */
  {"notinternal.org", true},
  {"xn--d1acpjx3f.xn--p1ai", true},
  {"7f.example", true},
  {"abcdefghijklmnop.onion", true},
  {"localhost", false},
  {"LOCALHOST", false},
  {"localhost:8080", false},
  {"localhost.", false},
  {"localhost..", false},
  {"a.b.localhost", false},
  {"a.localhost.", false},
  {"ip6-localhost", false},
  {"ip6-loopback", false},
  {"localhost.localdomain", false},
  {"localhost6.localdomain6", false},
  {"intranet", false},
  {"intranet.", false},
  {"wiki:8000", false},
  {"metadata.google.internal", false},
  {"METADATA.google.Internal.", false},
  {"metadata.google.internal:80", false},
  {"x.internal", false},
  {"internal", false},
  {"printer.local", false},
  {"router.home.arpa", false},
  {"home.arpa", false},
  {"nas.lan", false},
  {"127.0.0.1", false},
  {"127.0.0.1.", false},
  {"127.0.0.1.:80", false},
  {"127.1", false},
  {"0x7f.1", false},
  {"0x7f000001", false},
  {"0X7F.0x0.0.1", false},
  {"2130706433", false},
  {"2130706433.", false},
  {"017700000001", false},
  {"0177.0.0.01", false},
  {"10.0x10203", false},
  {"134744072", true}, /* 8.8.8.8 */
  {"999.1.1.1", false},
  {"1.2.3.4.5", false},
  {"08.8.8.8", false}, /* no octal number: whoever reads it reads something else */
  {"[::1]", false},
  {"[::1]:80", false},
  {"[::ffff:127.0.0.1]", false},
  {"[::ffff:7f00:1]", false},
  {"[2002:7f00:1::]", false},
  {"[64:ff9b::7f00:1]", false},
  {"[fe80::1%25eth0]", false},
  {"[::1", false},
  {"[]", false},
  {"", false},
  {".", false},
  {":80", false},
};

static bool socket_address_is_public(const char *text)
{
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
    return ssrf_address_is_public((struct sockaddr *)&v4);
  return inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 && ssrf_address_is_public((struct sockaddr *)&v6);
}

CASE(each_range_ends_where_its_registry_says)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (ssrf_text_is_public(rows[i].address) != rows[i].is_public)
      fail_msg("text %s: %s", rows[i].address, rows[i].why);
    if (socket_address_is_public(rows[i].address) != rows[i].is_public)
      fail_msg("socket address %s: %s", rows[i].address, rows[i].why);
  }
}

CASE(a_host_is_judged_by_its_name)
{
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    if (ssrf_host_is_public(hosts[i].host, strlen(hosts[i].host)) != hosts[i].is_public)
      fail_msg("host %s", hosts[i].host);
  char longest[300];
  memset(longest, 'a', sizeof longest);
  memcpy(longest + sizeof longest - 9, ".internal", 9);
  assert_false(ssrf_host_is_public(longest, sizeof longest));
}

CASE(other_families_are_not_public)
{
  struct sockaddr_un path = {.sun_family = AF_UNIX, .sun_path = "/run/docker.sock"};
  assert_false(ssrf_address_is_public((struct sockaddr *)&path));
}
