/* Where each byte may stand for itself; url_parts.h names the places. Controls, space, '#', '<', '>' and what is not
 * ASCII: nowhere. */
#include "frontier/url/url_parts.h"

enum {
  BROWSER = URL_IN_PATH | URL_IN_QUERY,
  RESERVED = URL_RESERVED | BROWSER,
  ALL = URL_UNRESERVED | BROWSER | URL_IN_HOST,
};

/* clang-format off */
const unsigned char url_places[256] = {
  ['0'] = ALL, ['1'] = ALL, ['2'] = ALL, ['3'] = ALL, ['4'] = ALL, ['5'] = ALL, ['6'] = ALL, ['7'] = ALL, ['8'] = ALL,
  ['9'] = ALL, ['A'] = ALL, ['B'] = ALL, ['C'] = ALL, ['D'] = ALL, ['E'] = ALL, ['F'] = ALL, ['G'] = ALL, ['H'] = ALL,
  ['I'] = ALL, ['J'] = ALL, ['K'] = ALL, ['L'] = ALL, ['M'] = ALL, ['N'] = ALL, ['O'] = ALL, ['P'] = ALL, ['Q'] = ALL,
  ['R'] = ALL, ['S'] = ALL, ['T'] = ALL, ['U'] = ALL, ['V'] = ALL, ['W'] = ALL, ['X'] = ALL, ['Y'] = ALL, ['Z'] = ALL,
  ['a'] = ALL, ['b'] = ALL, ['c'] = ALL, ['d'] = ALL, ['e'] = ALL, ['f'] = ALL, ['g'] = ALL, ['h'] = ALL, ['i'] = ALL,
  ['j'] = ALL, ['k'] = ALL, ['l'] = ALL, ['m'] = ALL, ['n'] = ALL, ['o'] = ALL, ['p'] = ALL, ['q'] = ALL, ['r'] = ALL,
  ['s'] = ALL, ['t'] = ALL, ['u'] = ALL, ['v'] = ALL, ['w'] = ALL, ['x'] = ALL, ['y'] = ALL, ['z'] = ALL,
  ['-'] = ALL, ['.'] = ALL, ['_'] = ALL, ['~'] = ALL,
  ['!'] = RESERVED | URL_IN_HOST, ['$'] = RESERVED | URL_IN_HOST, ['&'] = RESERVED | URL_IN_HOST,
  ['('] = RESERVED | URL_IN_HOST, [')'] = RESERVED | URL_IN_HOST, ['*'] = RESERVED | URL_IN_HOST,
  ['+'] = RESERVED | URL_IN_HOST, [','] = RESERVED | URL_IN_HOST, [';'] = RESERVED | URL_IN_HOST,
  ['='] = RESERVED | URL_IN_HOST, ['\''] = URL_RESERVED | URL_IN_PATH | URL_IN_HOST,
  [':'] = RESERVED, ['@'] = RESERVED, ['/'] = RESERVED, ['?'] = RESERVED,
  ['%'] = BROWSER, ['['] = BROWSER, [']'] = BROWSER, ['|'] = BROWSER, ['\\'] = URL_IN_QUERY, ['^'] = URL_IN_QUERY,
  ['`'] = URL_IN_QUERY | URL_IN_HOST, ['{'] = URL_IN_QUERY | URL_IN_HOST, ['}'] = URL_IN_QUERY | URL_IN_HOST,
  ['"'] = URL_IN_HOST,
};
/* clang-format on */
