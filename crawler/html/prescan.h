/* crawler/html/prescan.h: the charset that a page declares in its first bytes, found before they can be decoded. */
#ifndef STRATA_CRAWLER_PRESCAN_H
#define STRATA_CRAWLER_PRESCAN_H

#include "crawler/html/charset.h"

/* The standard asks for the first 1,024 bytes; browsers look on while the head lasts, and so do we, up to here. */
enum { PRESCAN_SURE = 1024, PRESCAN_MAX = 4096 };

/* WHATWG HTML, section 13.2.3.2: "prescan a byte stream to determine its encoding", then "get an XML encoding". NULL:
 * none is declared. */
const charset *prescan(const char *bytes, size_t size);

/* The second step alone, for what is XML and no page; white space may come before. */
const charset *prescan_xml(const char *bytes, size_t size);

#endif
