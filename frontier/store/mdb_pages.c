/* Walks the trees of data.mdb page by page, without LMDB and without mapping the file. mdb_pages.h says what for.
 *
 *     owner[page]   NOBODY -> OF_META | OF_FREE_LIST | IS_FREE | OF_TABLES | OF_FIRST_TABLE + i
 *     pool          one page for each level of the walk: a branch stays while the pages below it are read
 *
 * Always: nothing is written. A page gets one owner and keeps it: a second tree that leads to it has a fault there, and
 * does not go on. A walk meets a page once (was_met) and goes no deeper than its tree says, at most DEPTH_MAX, so it
 * ends whatever the bytes are. No node is looked at before nodes_fault has found every node within its page. Each fault
 * is said once: a second walk of a tree is quiet.
 *
 * Called by check, repair and compact, and as a directory is opened, on one thread. After a crash: nothing of
 * it is on disk. */
#include "frontier/store/mdb_pages.h"

#include "frontier/base/own_file.h"
#include "frontier/store/mdb_page.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TREE_SIZE = 48, META_END = PAGE_HEAD + 136, KEY_MAX = 511, DEPTH_MAX = 32 };
enum { PAGE_MIN = 512, PAGE_MAX = 32768, TABLES_MAX = 32, TABLE_NAME_SIZE = 64 };
enum { NOBODY = 0, OF_META, OF_FREE_LIST, IS_FREE, OF_TABLES, OF_FIRST_TABLE };
static const uint64_t NO_PAGE = UINT64_MAX;

typedef struct tree {
  char name[TABLE_NAME_SIZE];
  uint64_t flags, depth, branches, leaves, large, records, root;
  bool was_walked; /* and its faults were said */
} tree;

struct pages {
  char *path;
  int fd;
  mdb_pages_fault *say;
  void *context;
  uint64_t faults;
  size_t page_size;
  bool has_root;
  uint64_t count; /* last page in use + 1 */
  tree free_list, tables;
  tree table[TABLES_MAX];
  size_t table_count;
  uint8_t *owner;       /* of each page */
  uint8_t *was_met;     /* in this walk */
  uint8_t *pool;        /* DEPTH_MAX + 1 pages, one for each level */
  uint64_t transaction; /* of the newer root */
  bool is_short;        /* the file ends before page `count` */
  mdb_pages_progress *tell;
  void *tell_context;
  uint64_t walked; /* pages, since it is told */
  uint64_t met;    /* pages that have an owner by now */
};

/* One walk of one tree. */
typedef struct walk {
  pages *p;
  tree *of;
  uint8_t owner;
  bool is_quiet;  /* its faults are known */
  bool is_broken; /* some part could not be reached: the counts cannot agree */
  uint64_t branches, leaves, large, records;
  uint8_t last_key[KEY_MAX];
  size_t last_size;
  bool has_last, last_is_bound; /* the last key was a branch's: its page may begin with the same */
  mdb_pages_visitor *visit;
  void *context;
} walk;

void mdb_pages_say(pages *p, const char *format, ...)
{
  char what[FRONTIER_MESSAGE_SIZE - 64], sentence[FRONTIER_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(sentence, sizeof sentence, "data.mdb: %s", what);
  p->faults++;
  p->say(p->context, sentence);
}

/* A part of the tree that cannot be followed. */
static void broken(walk *w, uint64_t page, const char *what)
{
  w->is_broken = true;
  if (!w->is_quiet)
    mdb_pages_say(w->p, "page %" PRIu64 ", table %s: %s", page, w->of->name, what);
}

/* ---- one page ------------------------------------------------------------------------------------------- */

static bool read_at(const pages *p, uint64_t offset, uint8_t *to, size_t size)
{
  while (size) {
    ssize_t got = pread(p->fd, to, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

/* Pages `first` .. `first + count - 1` belong to this walk's tree from now on; false: to another, or they were met. */
static bool own(walk *w, uint64_t first, uint64_t count)
{
  pages *p = w->p;
  if (first >= p->count || count > p->count - first) {
    broken(w, first, "no such page is in use");
    return false;
  }
  for (uint64_t i = first; i < first + count; i++)
    if (p->was_met[i] || (p->owner[i] != NOBODY && p->owner[i] != w->owner)) {
      broken(w, i, "is in two places at once");
      return false;
    }
  for (uint64_t i = first; i < first + count; i++)
    p->met += p->owner[i] == NOBODY;
  assert(first + count <= p->count && w->owner >= OF_FREE_LIST);
  memset(p->owner + first, w->owner, count);
  memset(p->was_met + first, true, count);
  return true;
}

/* The page of that number and kind into `to`; false after saying why not. */
static bool read_page(walk *w, uint64_t number, unsigned kind, uint8_t *to)
{
  const pages *p = w->p;
  const char *why = NULL;
  if (!read_at(p, number * p->page_size, to, p->page_size))
    why = "it cannot be read";
  else if (get_le(to, 8) != number)
    why = "another page lies there";
  else if (get_le(to + 10, 2) != kind)
    why = "it is of another kind";
  else
    why = nodes_fault(to, p->page_size, kind == IS_LEAF);
  if (why)
    broken(w, number, why);
  return !why;
}

/* ---- keys ----------------------------------------------------------------------------------------------- */

static int compare_keys(const tree *t, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
  if (t->flags & KEYS_ARE_NUMBERS) {
    uint64_t left = get_le(a, 8), right = get_le(b, 8);
    return left < right ? -1 : left > right;
  }
  int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order ? order : a_size < b_size ? -1 : a_size > b_size;
}

/* The next key in order, of a record or (`is_bound`) of a branch. */
static bool note_key(walk *w, uint64_t page, const uint8_t *key, size_t size, bool is_bound)
{
  bool fits = size > 0 && size <= KEY_MAX && (!(w->of->flags & KEYS_ARE_NUMBERS) || size == 8);
  if (!fits) {
    broken(w, page, "a key has a wrong size");
    return false;
  }
  int order = w->has_last ? compare_keys(w->of, w->last_key, w->last_size, key, size) : -1;
  if (order > 0 || (order == 0 && (is_bound || !w->last_is_bound))) {
    broken(w, page, "its keys are out of order");
    return false;
  }
  memcpy(w->last_key, key, size);
  w->last_size = size;
  w->has_last = true;
  w->last_is_bound = is_bound;
  return true;
}

/* ---- one tree ------------------------------------------------------------------------------------------- */

/* A value on pages of its own. */
static void visit_large(walk *w, const uint8_t *key, size_t key_size, uint64_t first, size_t size)
{
  const pages *p = w->p;
  uint8_t head[PAGE_HEAD], last;
  uint64_t needed = (PAGE_HEAD - 1 + (uint64_t)size) / p->page_size + 1, has = 0;
  if (first < p->count && read_at(p, first * p->page_size, head, sizeof head) && get_le(head, 8) == first &&
      get_le(head + 10, 2) == IS_LARGE)
    has = get_le(head + 12, 4);
  if (has < needed || has > p->count || !read_at(p, first * p->page_size + PAGE_HEAD - 1 + size, &last, 1)) {
    broken(w, first, "no large value of that size begins there");
    return;
  }
  if (!own(w, first, has))
    return;
  w->large += has;
  if (!w->visit)
    return;
  uint8_t *value = malloc(size);
  if (value && read_at(p, first * p->page_size + PAGE_HEAD, value, size))
    w->visit(w->context, key, key_size, value, size);
  else
    broken(w, first, value ? "its value cannot be read" : "there is no memory for its value");
  free(value);
}

static void visit_leaf(walk *w, uint64_t number, const uint8_t *page)
{
  w->leaves++;
  for (size_t i = 0; i < node_count(page); i++) {
    const uint8_t *node = node_at(page, i), *key = node + NODE_HEAD;
    size_t key_size = get_le(node + 6, 2), size = get_le(node, 4);
    uint64_t flags = get_le(node + 4, 2);
    w->records++;
    if (flags & ~(uint64_t)(w->owner == OF_TABLES ? NODE_IS_TABLE : NODE_IS_LARGE))
      broken(w, number, "a record has flags that are not ours");
    else if (!note_key(w, number, key, key_size, false))
      continue;
    else if (flags & NODE_IS_LARGE)
      visit_large(w, key, key_size, get_le(key + key_size, 8), size);
    else if (w->visit)
      w->visit(w->context, key, key_size, key + key_size, size);
  }
}

static void tell_progress(pages *p)
{
  enum { EVERY = 1 << 14 }; /* some hundredth of a second from a disk */
  if (p->tell && ++p->walked % EVERY == 0)
    p->tell(p->tell_context, p->met, p->count);
}

static void walk_page(walk *w, uint64_t number, uint64_t level)
{
  assert(level < w->of->depth && w->of->depth <= DEPTH_MAX); /* so there is room for it in the pool */
  uint8_t *page = w->p->pool + level * w->p->page_size;
  bool is_leaf = level + 1 == w->of->depth;
  if (!own(w, number, 1) || !read_page(w, number, is_leaf ? IS_LEAF : IS_BRANCH, page))
    return;
  tell_progress(w->p);
  if (is_leaf) {
    visit_leaf(w, number, page);
    return;
  }
  w->branches++;
  for (size_t i = 0; i < node_count(page); i++) {
    const uint8_t *node = node_at(page, i);
    if (i == 0 || note_key(w, number, node + NODE_HEAD, get_le(node + 6, 2), true))
      walk_page(w, get_le(node, 6), level + 1);
  }
}

static void check_counts(const walk *w)
{
  const tree *t = w->of;
  if (w->branches != t->branches || w->leaves != t->leaves || w->large != t->large || w->records != t->records)
    mdb_pages_say(w->p,
                  "table %s says it has %" PRIu64 " records on %" PRIu64 " pages, and has %" PRIu64 " on %" PRIu64,
                  t->name, t->records, t->branches + t->leaves + t->large, w->records,
                  w->branches + w->leaves + w->large);
}

static void walk_tree(pages *p, tree *of, uint8_t owner, mdb_pages_visitor *visit, void *context)
{
  walk w = {.p = p, .of = of, .owner = owner, .is_quiet = of->was_walked, .visit = visit, .context = context};
  memset(p->was_met, false, p->count);
  if (of->depth > DEPTH_MAX || (of->depth == 0) != (of->root == NO_PAGE))
    broken(&w, of->root, "its depth makes no sense");
  else if (of->flags & ~(uint64_t)KEYS_ARE_NUMBERS)
    broken(&w, of->root, "it has flags that are not ours");
  else if (of->root != NO_PAGE)
    walk_page(&w, of->root, 0);
  if (!w.is_quiet && !w.is_broken)
    check_counts(&w);
  of->was_walked = true;
}

static void read_tree(const uint8_t *at, const char *name, tree *to)
{
  *to = (tree){.flags = get_le(at + 4, 2),
               .depth = get_le(at + 6, 2),
               .branches = get_le(at + 8, 8),
               .leaves = get_le(at + 16, 8),
               .large = get_le(at + 24, 8),
               .records = get_le(at + 32, 8),
               .root = get_le(at + 40, 8)};
  snprintf(to->name, sizeof to->name, "%s", name);
}

/* ---- the file ------------------------------------------------------------------------------------------- */

/* What is wrong with a meta page, or NULL. Transactions write the two in turn. Pages that were taken and given back
 * within one transaction may lie behind the end of the file, but not many. */
static const char *meta_fault(const pages *p, uint64_t number, const uint8_t *page, uint64_t file_size)
{
  enum { UNWRITTEN_MAX = 1 << 16 };
  uint64_t last = get_le(page + 136, 8), transaction = get_le(page + 144, 8);
  if (get_le(page + 16, 4) != 0xBEEFC0DE || get_le(page + 20, 4) != 1)
    return "it is not LMDB's";
  if (get_le(page, 8) != number || get_le(page + 10, 2) != IS_META)
    return "it is of another kind";
  if (get_le(page + 40, 4) != p->page_size)
    return "its page size is another";
  if (transaction && transaction % 2 != number)
    return "its transaction belongs to the other";
  if (last < 1 || last > file_size / p->page_size + UNWRITTEN_MAX)
    return "the file has not so many pages";
  return NULL;
}

static size_t find_page_size(const pages *p)
{
  uint8_t head[PAGE_HEAD + 64];
  size_t size = read_at(p, 0, head, sizeof head) ? get_le(head + 40, 4) : 0;
  bool is_sound = size >= PAGE_MIN && size <= PAGE_MAX && (size & (size - 1)) == 0;
  return is_sound ? size : 4096; /* the second meta page will tell */
}

static void pass_over(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

/* The newer of two sound meta pages is the root, as for LMDB; where one is damaged, the other: it is what the file was
 * a transaction before, or is now. */
static void find_root(pages *p, uint64_t file_size)
{
  uint8_t page[META_END];
  uint64_t transactions[2] = {0};
  for (uint64_t i = 0; i < 2; i++) {
    bool is_read = read_at(p, i * p->page_size, page, sizeof page);
    const char *why = is_read ? meta_fault(p, i, page, file_size) : "it cannot be read";
    if (why) {
      mdb_pages_say(p, "page %" PRIu64 ", one of the two roots: %s", i, why);
      continue;
    }
    transactions[i] = get_le(page + 144, 8);
    if (!p->has_root || transactions[i] > transactions[0]) {
      p->has_root = true;
      p->count = get_le(page + 136, 8) + 1;
      p->transaction = transactions[i];
      p->is_short = file_size / p->page_size < p->count;
      read_tree(page + 40, "of free pages", &p->free_list);
      read_tree(page + 88, "of tables", &p->tables);
      p->free_list.flags |= KEYS_ARE_NUMBERS;
    }
  }
  if (p->faults && p->count < file_size / p->page_size) /* the root that is lost may have led further */
    p->count = file_size / p->page_size;
  uint64_t apart = p->faults                           ? 1
                   : transactions[0] > transactions[1] ? transactions[0] - transactions[1]
                                                       : transactions[1] - transactions[0];
  if (apart > 1)
    mdb_pages_say(p, "its two roots are %" PRIu64 " transactions apart", apart);
}

/* The names are ours, of small letters and hyphens; whatever else stands there is shown as '?'. */
static void note_table(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t value_size)
{
  pages *p = context;
  char name[TABLE_NAME_SIZE];
  if (value_size != TREE_SIZE || key_size >= sizeof name || p->table_count == TABLES_MAX) {
    mdb_pages_say(p, "an entry in the table of tables is no table");
    return;
  }
  for (size_t i = 0; i < key_size; i++)
    name[i] = (key[i] >= 'a' && key[i] <= 'z') || key[i] == '-' ? (char)key[i] : '?';
  name[key_size] = '\0';
  read_tree(value, name, &p->table[p->table_count++]);
}

static frontier_status find_tables(pages *p)
{
  p->owner = calloc(p->count + 1, 1);
  p->was_met = calloc(p->count + 1, 1);
  p->pool = malloc((DEPTH_MAX + 1) * p->page_size);
  if (!p->owner || !p->was_met || !p->pool)
    return FRONTIER_NO_MEMORY;
  memset(p->owner, OF_META, p->count < 2 ? p->count : 2);
  if (p->has_root)
    walk_tree(p, &p->tables, OF_TABLES, note_table, p);
  return FRONTIER_OK;
}

frontier_status mdb_pages_open(const char *path, mdb_pages_fault *say, void *context, pages **out,
                               char message[FRONTIER_MESSAGE_SIZE])
{
  pages *p = calloc(1, sizeof *p);
  if (!p || !(p->path = strdup(path))) {
    free(p);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", path);
    return FRONTIER_NO_MEMORY;
  }
  p->say = say;
  p->context = context;
  p->fd = own_file_open(path, O_RDONLY, 0);
  struct stat file;
  frontier_status status = FRONTIER_OK;
  if (p->fd < 0 || fstat(p->fd, &file) != 0) {
    status = errno == ENOENT ? FRONTIER_NOT_FOUND : FRONTIER_IO;
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: %s", path, own_file_words(errno));
  } else {
    p->page_size = find_page_size(p);
    find_root(p, (uint64_t)file.st_size);
    status = find_tables(p);
    if (status != FRONTIER_OK)
      snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory for %" PRIu64 " pages", path, p->count);
  }
  if (status == FRONTIER_OK)
    *out = p;
  else
    mdb_pages_close(p);
  return status;
}

void mdb_pages_close(pages *p)
{
  if (!p)
    return;
  if (p->fd >= 0)
    close(p->fd);
  free(p->owner);
  free(p->was_met);
  free(p->pool);
  free(p->path);
  free(p);
}

bool mdb_pages_have_root(const pages *p)
{
  return p->has_root;
}

const char *mdb_pages_table(const pages *p, size_t i)
{
  return i < p->table_count ? p->table[i].name : NULL;
}

void mdb_pages_each(pages *p, const char *table, mdb_pages_visitor *visit, void *context)
{
  for (size_t i = 0; i < p->table_count; i++)
    if (strcmp(p->table[i].name, table) == 0)
      walk_tree(p, &p->table[i], (uint8_t)(OF_FIRST_TABLE + i), visit, context);
}

bool mdb_pages_were_walked(const pages *p, const char *table)
{
  for (size_t i = 0; i < p->table_count; i++)
    if (strcmp(p->table[i].name, table) == 0)
      return p->table[i].was_walked;
  return false;
}

static void visit_stray_node(const pages *p, const uint8_t *node, mdb_pages_visitor *visit, void *context)
{
  const uint8_t *key = node + NODE_HEAD;
  size_t key_size = get_le(node + 6, 2), size = get_le(node, 4);
  uint64_t flags = get_le(node + 4, 2);
  if (key_size == 0 || key_size > KEY_MAX || flags & ~(uint64_t)NODE_IS_LARGE)
    return;
  if (!flags) {
    visit(context, key, key_size, key + key_size, size);
    return;
  }
  uint64_t first = get_le(key + key_size, 8);
  if (first >= p->count || size > (p->count - first) * p->page_size)
    return;
  uint8_t *value = malloc(size + 1);
  if (value && read_at(p, first * p->page_size + PAGE_HEAD, value, size))
    visit(context, key, key_size, value, size);
  free(value);
}

void mdb_pages_each_stray(pages *p, mdb_pages_visitor *visit, void *context)
{
  uint8_t *page = p->pool;
  for (uint64_t i = 0; i < p->count; i++) {
    if (p->owner[i] != NOBODY && p->owner[i] != IS_FREE)
      continue;
    if (!read_at(p, i * p->page_size, page, p->page_size) || get_le(page, 8) != i || get_le(page + 10, 2) != IS_LEAF ||
        nodes_fault(page, p->page_size, true))
      continue;
    for (size_t n = 0; n < node_count(page); n++)
      visit_stray_node(p, node_at(page, n), visit, context);
  }
}

/* The owner of a table's pages; NOBODY: there is no such table. */
static uint8_t owner_of(const pages *p, const char *table)
{
  for (size_t i = 0; i < p->table_count; i++)
    if (strcmp(p->table[i].name, table) == 0)
      return (uint8_t)(OF_FIRST_TABLE + i);
  return NOBODY;
}

void mdb_pages_each_run(const pages *p, const char *table, mdb_pages_run_visitor *visit, void *context)
{
  uint8_t wanted = table ? owner_of(p, table) : NOBODY, other = table ? wanted : IS_FREE;
  if (table && wanted == NOBODY)
    return;
  for (uint64_t i = 0, first; i < p->count; i++) {
    for (first = i; i < p->count && (p->owner[i] == wanted || p->owner[i] == other);)
      i++;
    if (i > first)
      visit(context, first * p->page_size, (i - first) * p->page_size);
  }
}

bool mdb_pages_read(const pages *p, uint64_t offset, void *to, size_t size)
{
  return read_at(p, offset, to, size);
}

/* ---- who owns what -------------------------------------------------------------------------------------- */

/* One transaction's row of pages that became free with it: how many, and their numbers. */
static void note_free(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t value_size)
{
  pages *p = context;
  uint64_t count = value_size >= 8 ? get_le(value, 8) : UINT64_MAX;
  if (key_size != 8 || get_le(key, 8) > p->transaction || value_size % 8 || count > value_size / 8 - 1) {
    mdb_pages_say(p, "an entry in the list of free pages is none");
    return;
  }
  for (uint64_t i = 1, before = UINT64_MAX; i <= count; i++) {
    uint64_t page = get_le(value + 8 * i, 8);
    if (page >= before) /* LMDB merges such rows, and runs out of one that is not in order */
      mdb_pages_say(p, "page %" PRIu64 " is out of order in the list of free pages", page);
    before = page;
    if (page >= p->count)
      mdb_pages_say(p, "page %" PRIu64 " is called free, and there is no such page", page);
    else if (p->owner[page] != NOBODY)
      mdb_pages_say(p, "page %" PRIu64 " is called free, and is %s", page,
                    p->owner[page] == IS_FREE ? "so twice" : "in use");
    else
      p->owner[page] = IS_FREE;
  }
}

void mdb_pages_check_owners(pages *p)
{
  uint64_t faults = p->faults, lost = 0, first = 0;
  for (size_t i = 0; i < p->table_count; i++)
    if (!p->table[i].was_walked)
      walk_tree(p, &p->table[i], (uint8_t)(OF_FIRST_TABLE + i), NULL, NULL);
  walk_tree(p, &p->free_list, OF_FREE_LIST, note_free, p);
  for (uint64_t i = p->count; i-- > 0;)
    if (p->owner[i] == NOBODY) {
      lost++;
      first = i;
    }
  if (lost && p->faults == faults)
    mdb_pages_say(p, "%" PRIu64 " pages belong to nobody, page %" PRIu64 " is the first", lost, first);
}

void mdb_pages_watch(pages *p, mdb_pages_progress *tell, void *context)
{
  p->tell = tell;
  p->tell_context = context;
}

void mdb_pages_walk_all(pages *p, mdb_pages_progress *tell, void *context)
{
  mdb_pages_watch(p, tell, context);
  mdb_pages_check_owners(p);
  p->tell = NULL;
}

/* ---- at a glance ------------------------------------------------------------------------------------------ */

bool mdb_pages_glance(const char *path, mdb_pages_brief *brief)
{
  pages p = {.fd = own_file_open(path, O_RDONLY, 0), .say = pass_over};
  struct stat file;
  bool is_read = p.fd >= 0 && fstat(p.fd, &file) == 0;
  if (is_read) {
    p.page_size = find_page_size(&p);
    find_root(&p, (uint64_t)file.st_size);
  }
  if (p.fd >= 0)
    close(p.fd);
  *brief = (mdb_pages_brief){.transaction = p.transaction, .is_short = p.is_short};
  return is_read && p.has_root && p.faults == 0;
}

bool mdb_pages_is_foreign(const char *path)
{
  pages p = {.fd = own_file_open(path, O_RDONLY, 0)};
  uint8_t head[PAGE_HEAD + 8];
  bool is_so = p.fd >= 0 && read_at(&p, 0, head, sizeof head) && get_le(head + 16, 4) != 0xBEEFC0DE;
  struct stat file;
  if (is_so && fstat(p.fd, &file) == 0) { /* one of its two first pages may be damaged */
    p.page_size = find_page_size(&p);
    is_so = !read_at(&p, p.page_size, head, sizeof head) || get_le(head + 16, 4) != 0xBEEFC0DE;
  }
  if (p.fd >= 0)
    close(p.fd);
  return is_so;
}

uint64_t mdb_pages_count(const pages *p)
{
  return p->count;
}

uint64_t mdb_pages_faults(const pages *p)
{
  return p->faults;
}
