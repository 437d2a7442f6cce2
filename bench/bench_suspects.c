/* Which directories would be suspect (crawler/loop/suspects.h), and what it costs to find out.
 *
 *     bench_suspects [TREE ...]      all .html files below each tree, as pages of a host of their own
 *
 * Pages come in the order of their names, and each counts as if it led to one new URL in each of its directories: as in
 * a trap, and in no finite site. So what is suspect here because of its pages need not be so in a crawl. Then 100 made
 * shops of 700 pages: templates of 20 to 100 words, and on each page 10 to 60 words of its own, in one place; and soft
 * 404s that repeat the URL twice. Times are of CPU, the clock's among them. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crawler/html/links.h"
#include "crawler/html/page_text.h"
#include "crawler/loop/directory_tally.h"
#include "crawler/loop/same_texts.h"
#include "tests/site/grown_text.h"
#include "tests/site/random.h"

enum { LEVELS = 4, FILES_MAX = 200000, PIECE = 1 << 14 };

static const uint8_t secret[MLBF_SECRET_BYTES] = {7};
static mlbf_hasher *hasher;
static page_text *text_of_page;
static links_scanner *scanner;

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct measure {
  same_texts *texts;
  directory_tally *tally;
  unsigned pages, same, suspects;
  double spent; /* seconds, of CPU, without making the text's shingles and pairs */
} measure;

static measure begin(void)
{
  measure m = {.texts = same_texts_create(hasher), .tally = directory_tally_create()};
  if (!m.texts || !m.tally)
    exit(1);
  return m;
}

static void end(measure *m)
{
  same_texts_free(m->texts);
  directory_tally_free(m->tally);
}

/* `where`: "host/path/to/page.html" */
static void note(measure *m, const char *where, const same_text *said)
{
  const char *slash = strchr(where, '/');
  size_t ends[LEVELS];
  unsigned levels = 0;
  double before = seconds();
  bool is_same = same_texts_note(m->texts, where, (size_t)(slash - where), said);
  for (; slash && levels < LEVELS; slash = strchr(slash + 1, '/'))
    ends[levels++] = (size_t)(slash - where) + 1;
  bool is_suspect = false;
  while (levels && !is_suspect) {
    directory_page page = {.is_same = is_same, .is_root = --levels == 0, .new_within = 1};
    is_suspect = directory_tally_note(m->tally, mlbf_hasher_hash(hasher, 1, (mlbf_span){where, ends[levels]}).low,
                                      &page);
  }
  m->spent += seconds() - before;
  m->pages++;
  m->same += is_same;
  m->suspects += is_suspect;
  if (is_suspect)
    printf("  suspect: %.*s\n", (int)ends[levels], where);
}

static same_text say(const char *bytes, size_t size)
{
  page_text_begin(text_of_page);
  page_text_feed_plain(text_of_page, bytes, size);
  mlbf_shingles shingles = page_text_finish(text_of_page);
  return (same_text){.text = shingles.text, .pairs = *page_text_pairs(text_of_page)};
}

/* ---- real pages ------------------------------------------------------------------------------------------- */

static char *files[FILES_MAX];
static size_t file_count;

static int take_file(const char *path, const struct stat *is, int kind, struct FTW *walk)
{
  size_t size = strlen(path);
  (void)is, (void)walk;
  if (kind == FTW_F && size > 5 && strcmp(path + size - 5, ".html") == 0 && file_count < FILES_MAX)
    files[file_count++] = strdup(path);
  return 0;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void no_link(void *context, const link_found *link)
{
  (void)context, (void)link;
}

static void keep_text(void *context, const char *bytes, size_t size)
{
  (void)context;
  page_text_feed_html(text_of_page, bytes, size);
}

static bool read_page(const char *path, same_text *said)
{
  static char piece[PIECE];
  FILE *in = fopen(path, "r");
  if (!in)
    return false;
  page_text_begin(text_of_page);
  for (size_t size; (size = fread(piece, 1, sizeof piece, in)) > 0;)
    links_feed(scanner, piece, size);
  fclose(in);
  links_finish(scanner);
  mlbf_shingles shingles = page_text_finish(text_of_page);
  *said = (same_text){.text = shingles.text, .pairs = *page_text_pairs(text_of_page)};
  return shingles.count > 0;
}

static void measure_tree(const char *tree)
{
  measure m = begin();
  char where[8192];
  file_count = 0;
  nftw(tree, take_file, 16, FTW_PHYS);
  qsort(files, file_count, sizeof *files, by_name);
  for (size_t i = 0; i < file_count; i++) {
    same_text said;
    snprintf(where, sizeof where, "tree%s", files[i] + strlen(tree));
    if (read_page(files[i], &said))
      note(&m, where, &said);
    free(files[i]);
  }
  printf("%-24s %6u pages, %4u say what another says, %u directories suspect; %.2f us a page\n", strrchr(tree, '/') + 1,
         m.pages, m.same, m.suspects, m.spent / m.pages * 1e6);
  end(&m);
}

/* ---- made pages ------------------------------------------------------------------------------------------- */

enum { SHOPS = 100, SHOP_PAGES = 700 };

static void add_words(text *page, uint64_t *state, unsigned words, unsigned vocabulary)
{
  for (; words; words--)
    text_addf(page, "w%u ", random_below(state, vocabulary));
}

/* Words of their own in one place: what is hardest to tell from a soft 404. */
static void measure_shops(unsigned vocabulary, unsigned least_own, unsigned most_own)
{
  measure m = begin();
  text page = {0}, template = {0};
  char where[64];
  for (unsigned shop = 0; shop < SHOPS; shop++) {
    uint64_t state = random_stream(shop, vocabulary);
    unsigned words = 20 + random_below(&state, 81);
    template.size = 0;
    add_words(&template, &state, words, vocabulary);
    for (unsigned i = 0; i < SHOP_PAGES; i++) {
      page.size = 0;
      text_add_bytes(&page, template.bytes, template.size / 2);
      text_add(&page, " ");
      add_words(&page, &state, least_own + random_below(&state, most_own - least_own + 1), vocabulary);
      text_add_bytes(&page, template.bytes + template.size / 2, template.size - template.size / 2);
      same_text said = say(page.bytes, page.size);
      snprintf(where, sizeof where, "shop-%u/item/%u.html", shop, i);
      note(&m, where, &said);
    }
  }
  printf("%d shops, %u to %u words of their own of %u: %u of %u pages say what another says, %u directories suspect; "
         "%.2f us a page\n",
         SHOPS, least_own, most_own, vocabulary, m.same, m.pages, m.suspects, m.spent / m.pages * 1e6);
  text_free(&page);
  text_free(&template);
  end(&m);
}

static void measure_soft_404s(unsigned words)
{
  measure m = begin();
  text page = {0}, rest = {0};
  char where[96];
  uint64_t state = random_stream(words, 404);
  add_words(&rest, &state, words, 5000);
  for (unsigned i = 0; i < 10 * SHOP_PAGES; i++) {
    snprintf(where, sizeof where, "lost-%u/soft404/%08x/%u", i / SHOP_PAGES, (unsigned)random_next(&state), i % 4);
    page.size = 0;
    text_addf(&page, "%s not found. %.*s The page %s is not here.", where, (int)rest.size, rest.bytes, where);
    same_text said = say(page.bytes, page.size);
    note(&m, where, &said);
  }
  printf("10 soft 404s of some %u words: %u of %u pages say what another says, %u directories suspect\n", words + 20,
         m.same, m.pages, m.suspects);
  text_free(&page);
  text_free(&rest);
  end(&m);
}

int main(int argc, char **argv)
{
  hasher = mlbf_hasher_create(secret);
  text_of_page = page_text_create();
  scanner = links_create(no_link, NULL);
  if (!hasher || !text_of_page || !scanner)
    return 1;
  links_want_text(scanner, keep_text, NULL);
  for (int i = 1; i < argc; i++)
    measure_tree(argv[i]);
  measure_shops(5000, 10, 60);
  measure_shops(5000, 10, 10);
  measure_shops(300, 10, 10);
  measure_soft_404s(5);
  measure_soft_404s(100);
  measure_soft_404s(1000);
  links_free(scanner);
  page_text_free(text_of_page);
  mlbf_hasher_free(hasher);
  return 0;
}
