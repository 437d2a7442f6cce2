/* tests/contract/web/serve_dns.h: the names of a web as a DNS server answers for them (RFC 1035).
 *
 * An A record for each host that has a name; no other records; NXDOMAIN for all else. */
#ifndef STRATA_TESTS_WEB_SERVE_DNS_H
#define STRATA_TESTS_WEB_SERVE_DNS_H

#include "tests/contract/web/web.h"

enum { DNS_MESSAGE_MAX = 512 };

/* Size of the answer in `answer`; 0: what came is no question. */
size_t serve_dns_answer(const web *w, const unsigned char *question, size_t size,
                        unsigned char answer[DNS_MESSAGE_MAX]);

#endif
