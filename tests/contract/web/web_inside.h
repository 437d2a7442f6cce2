/* tests/contract/web/web_inside.h: what the files of the web in a box know of each other.
 *
 *     options.c ─> web.c ─> host.c ─> web_page.c ─> path.c ─> find.c        who is who
 *                             │
 *                  answer.c ─> robots.c, sitemap.c, body.c ─> link.c, web_charset.c
 *                             │
 *                         kinds.c ─> kinds_*.c                          kinds of hosts
 *
 * Everything is drawn by web_dice, with a salt for each question that may be asked: the answers to two questions do
 * not depend on each other, nor on who asks first. */
#ifndef STRATA_TESTS_WEB_WEB_INSIDE_H
#define STRATA_TESTS_WEB_WEB_INSIDE_H

#include "tests/contract/web/web.h"

enum {
  WEB_GROUP = 4,        /* hosts; the first is the head, on which the others hang */
  WEB_GROUP_FAN = 7,    /* groups that hang on a head */
  WEB_PAGE_FAN = 6,     /* children of a page */
  WEB_TARGET_MAX = 512, /* bytes of a target that may be a page's; its NUL included */
  WEB_MAP_PAGES = 1000, /* that one sitemap has lines for */
  WEB_REDIRECTS = 20,   /* in a row that are followed, as browsers do */
};

struct web {
  web_options options;
  uint64_t limit[WEB_SHARES]; /* a dice below it says yes */
  double least_pages;         /* of a host, where few have most */
};

/* One for each question. */
/* clang-format off */
typedef enum web_salt {
  WEB_ASK_STYLE, WEB_ASK_KIND, WEB_ASK_ROBOTS, WEB_ASK_SIZE, WEB_ASK_SIZE_ROUND, WEB_ASK_ADDRESS, WEB_ASK_LATENCY,
  WEB_ASK_HEAVY, WEB_ASK_REST, WEB_ASK_CHARSET, WEB_ASK_FATE, WEB_ASK_ORIGINAL, WEB_ASK_PATH, WEB_ASK_MAP_ONLY,
  WEB_ASK_DOOR, WEB_ASK_DOOR_HOPS, WEB_ASK_STATUS, WEB_ASK_AWAY, WEB_ASK_AWAY_TO, WEB_ASK_FLAKY, WEB_ASK_FLAKY_WHEN,
  WEB_ASK_TEXT, WEB_ASK_OWN_TEXT, WEB_ASK_LINKS, WEB_ASK_CHANGE, WEB_ASK_VERSION, WEB_ASK_GHOST, WEB_ASK_JITTER,
  WEB_ASK_TRAP, WEB_ASK_BASE, WEB_ASK_TRUST,
  WEB_ASK_SHARE, /* and one for each share behind it */
} web_salt;
/* clang-format on */

/* 64 bits, each as likely 0 as 1. */
uint64_t web_dice(const web *w, unsigned salt, uint64_t a, uint64_t b);
uint64_t web_dice_next(uint64_t *state); /* a stream of them, begun by any */
/* Is `dice` one of the share? */
bool web_says(const web *w, web_share share, uint64_t dice);
/* 0 to n - 1, k as likely as 1 / (k + 1): the first ones are popular. */
uint32_t web_popular(uint64_t dice, uint32_t n);

/* -- hosts -- */

typedef enum web_name { WEB_NAME_NONE, WEB_NAME_OWN, WEB_NAME_OTHER, WEB_NAME_ENDLESS } web_name;

web_name web_read_name(const web *w, const char *name, size_t size, uint32_t *host);
void web_host_other_name(const web *w, uint32_t host, char *name); /* it redirects to the host */
bool web_host_is_head(uint32_t host);
uint32_t web_domain_head(const web *w, uint32_t host);  /* the first host of its registrable domain */
web_share web_host_robots(const web *w, uint32_t host); /* one of WEB_NOROBOTS..WEB_CRAWLDELAY, or WEB_SHARES */
bool web_host_has_map(const web *w, uint32_t host);     /* and a robots.txt that names it */
/* The nth host that is linked from the start page of this one; false: there are no more. */
bool web_host_child(const web *w, uint32_t host, uint32_t n, uint32_t *child);

typedef enum web_charset { WEB_UTF8, WEB_1251, WEB_SJIS, WEB_1252 } web_charset;
web_charset web_host_charset(const web *w, uint32_t host);
bool web_host_says_charset(const web *w, uint32_t host);

/* What makes a host another than most: a row in kinds.c, functions in a kinds_*.c. Whatever is NULL is as usual. */
typedef struct web_kind {
  web_share share;   /* of hosts that are such; one of WEB_NAMELESS..WEB_FARM */
  web_ending ending; /* unless WEB_WHOLE, each connection ends so */
  /* Is this target, decoded, one of URLs without end? Pages, robots.txt and the like were asked for before. */
  bool (*owns)(const char *target);
  /* Answers it; the reply is a 200 with an empty body so far. */
  void (*answer)(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
  const char *entrance; /* target that "/" has a link to */
} web_kind;

const web_kind *web_host_kind(const web *w, uint32_t host); /* NULL: as most are */
extern const web_kind web_kinds[];
extern const size_t web_kinds_count;

/* rows of kinds_endless.c */
bool web_is_calendar(const char *target);
bool web_is_shop(const char *target);
bool web_is_anything(const char *target);
bool web_is_farm(const char *target);
void web_answer_calendar(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
void web_answer_shop(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
void web_answer_lost(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
void web_answer_farm(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
bool web_is_wall(const char *target);
void web_answer_wall(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);
bool web_is_flood(const char *target);
void web_answer_flood(const web *w, const web_request *request, uint32_t host, const char *target, web_reply *reply);

/* -- pages -- */

typedef enum web_form {
  WEB_FORM_USUAL,
  WEB_FORM_FAILING,
  WEB_FORM_FORBIDDEN,
  WEB_FORM_COPY,
  WEB_FORM_SIMILAR
} web_form;

web_form web_page_form(const web *w, uint32_t host, uint32_t page);
uint32_t web_page_original(const web *w, uint32_t host, uint32_t page);  /* of a copy or similar page */
bool web_page_may_be_copied(const web *w, uint32_t host, uint32_t page); /* its links do not depend on its URL */
uint32_t web_page_fan(const web *w, uint32_t host);                      /* children of a page, at most */
uint32_t web_page_parent(const web *w, uint32_t host, uint32_t page);    /* of any but "/" */
bool web_page_is_map_only(const web *w, uint32_t host, uint32_t page);
bool web_page_is_linked(const web *w, uint32_t host, uint32_t page, bool sitemaps, bool ignores_robots);
unsigned web_page_hops(const web *w, uint32_t host, uint32_t page); /* redirects of its door; 0: it has none */
bool web_page_has_away(const web *w, uint32_t host, uint32_t page);
void web_page_away(const web *w, uint32_t host, uint32_t page, uint32_t *to_host, uint32_t *to_page);
bool web_page_is_flaky(const web *w, uint32_t host, uint32_t page);
uint64_t web_page_version(const web *w, uint32_t host, uint32_t page, uint64_t now_ms);

/* -- paths -- */

/* The page's own target, canonical; returns its length. `target` has room for WEB_TARGET_MAX. */
size_t web_page_target(const web *w, uint32_t host, uint32_t page, char *target);
/* %-escapes as what they mean. False: longer than `room`, or a NUL in it. */
bool web_decode(const char *target, size_t size, char *decoded, size_t room);

/* What stands at a host's decoded target; `hop` gets how many redirects are left. */
web_place web_find_decoded(const web *w, uint32_t host, const char *target, unsigned *hop);

/* -- what is written -- */

void web_add_number(text *out, uint64_t number);
void web_add_origin(const web *w, text *out, uint32_t host); /* "http://www.site12.test" */
void web_write_robots(const web *w, uint32_t host, text *out);
void web_write_long_robots(const web *w, uint32_t host, text *out); /* of a name below a farm */

/* The host whose robots.txt strayed to this target of `host`, and how many redirects are left; WEB_NO_HOST: none. */
uint32_t web_host_strayed(const web *w, uint32_t host, const char *target, unsigned *left);
bool web_host_strays(const web *w, uint32_t host); /* has WEB_STRAYROBOTS, and a robots.txt to lead to */
void web_write_map(const web *w, uint32_t host, const char *target, text *out);
void web_write_page(const web *w, uint32_t host, uint32_t page, uint64_t version, text *out);

/* Letters of `utf8` in a charset; those it lacks are left as they are. */
void web_add_letters(text *out, web_charset charset, const char *utf8);
const char *web_charset_name(web_charset charset);
const char *web_charset_letter(web_charset charset); /* in UTF-8, one that ASCII has not */
/* About `size` bytes of words, drawn from `state`; one in 56 from `other` instead, unless that is NULL. */
void web_add_words(text *out, web_charset charset, size_t size, uint64_t *state, uint64_t *other);

typedef struct web_link {
  uint32_t from_host, from_page; /* the page it stands on */
  bool may_be_relative;
  const char *base; /* decoded or not, the target that relative links start from */
} web_link;

/* <a href=...>words</a> to a page, or with `target` to that target of the host. Draws how it is written. */
void web_add_link(const web *w, text *out, const web_link *from, uint32_t host, uint32_t page, const char *target,
                  uint64_t *state);
void web_add_link_to_other_name(const web *w, text *out, uint32_t host, bool by_http);

#endif
