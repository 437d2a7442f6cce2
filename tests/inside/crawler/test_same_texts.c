/* Which pages of a host say the same: soft 404s do, but for the URL in them; pages of a shop or a calendar do not. */
#include "crawler/loop/same_texts.h"
#include "tests/site/grown_text.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mlbf_hasher *hasher;
static mlbf_shingler *shingler;
static same_texts *texts;

static int begin(void **state)
{
  (void)state;
  static const uint8_t secret[MLBF_SECRET_BYTES] = {1};
  hasher = mlbf_hasher_create(secret);
  shingler = mlbf_shingler_create(0);
  texts = same_texts_create(hasher);
  return texts && shingler ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  same_texts_free(texts);
  mlbf_shingler_free(shingler);
  mlbf_hasher_free(hasher);
  return 0;
}

static same_text say(const char *words)
{
  mlbf_shingles shingles;
  mlbf_shingler_begin(shingler);
  mlbf_shingler_feed(shingler, words, strlen(words));
  assert_int_equal(mlbf_shingler_finish(shingler, &shingles), MLBF_OK);
  return (same_text){.text = shingles.text, .pairs = *mlbf_shingler_pairs(shingler)};
}

CASE(each_row_is_the_same_or_not)
{
  static const struct {
    const char *a, *b;
    bool is_same;
  } rows[] = {
    {"Not found", "Not found", true},
    {"Not found: /lost/ab12", "Not found: /lost/cd34", true},
    {"Sorry, x17 is not here", "Sorry, y18 is not here", true},
    {"The page /lost/1a2b/3 was not found at 10:15:07. Try /lost/7f7f/1",
     "The page /lost/9c9c/0 was not found at 10:15:09. Try /lost/0b0b/2", true},
    {"Error 404 reference 1f3a-77b2-9c01-aa42 Sorry, this page is gone. Go home, or search.",
     "Error 404 reference 02bc-11f9-d37e-51c6 Sorry, this page is gone. Go home, or search.", true},
    {"Photo 17", "Photo 18", true}, /* as a soft 404 of three words: see directory_tally.h */
    {"apples", "pears", false},
    {"one two three four five six seven eight nine", "a b c d e f g h i", false},
    {"home shop cart red apples from the old orchard by the river in spring help terms",
     "home shop cart dark plums of a late harvest near two hills at dawn help terms", false},
    {"June 2026 Mon 1 meeting with Ann, Tue 2 dentist, Fri 5 cinema with Bob and his sister",
     "July 2026 Wed 1 holiday begins, Mon 6 train to Lisbon, Sat 11 back home, Sun 12 rest", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    same_text a = say(rows[i].a), b = say(rows[i].b);
    if (same_text_is(&a, &b) != rows[i].is_same || same_text_is(&b, &a) != rows[i].is_same)
      fail_msg("%s | %s", rows[i].a, rows[i].b);
    assert_true(same_text_is(&a, &a));
  }
}

static void add_words(text *to, uint64_t *dice, unsigned words)
{
  for (; words; words--)
    text_addf(to, "w%u ", random_below(dice, 5000));
}

/* Long texts, whose pairs are too many to compare, are the same if they are equal. */
CASE(long_texts_are_the_same_if_equal)
{
  text page = {0};
  uint64_t dice = random_stream(1, 1);
  add_words(&page, &dice, 5000);
  same_text a = say(page.bytes), b = say(page.bytes);
  text_add(&page, "more");
  same_text c = say(page.bytes);
  assert_true(same_text_is(&a, &b));
  assert_false(same_text_is(&a, &c));
  text_free(&page);
}

/* Half of the template, words of the page's own, the other half. */
static void make_page(text *page, unsigned shop, unsigned words, unsigned own, uint64_t *dice)
{
  uint64_t template = random_stream(shop, 2);
  page->size = 0;
  add_words(page, &template, words / 2);
  add_words(page, dice, own);
  add_words(page, &template, words - words / 2);
}

/* Of 100 shops with 100 pages each; ten words of their own is the least. */
CASE(pages_of_shops_do_not)
{
  enum { SHOPS = 100, PAGES = 100 };
  text page = {0};
  uint64_t dice = random_stream(3, 3);
  unsigned same = 0, worst = 0;
  for (unsigned shop = 0; shop < SHOPS; shop++) {
    unsigned words = 20 + random_below(&dice, 81), of_shop = 0;
    char host[16];
    int size = snprintf(host, sizeof host, "shop-%u", shop);
    for (unsigned i = 0; i < PAGES; i++) {
      make_page(&page, shop, words, shop % 2 ? 10 : 10 + random_below(&dice, 51), &dice);
      same_text said = say(page.bytes);
      of_shop += same_texts_note(texts, host, (size_t)size, &said) > 0;
    }
    same += of_shop;
    worst = of_shop > worst ? of_shop : worst;
  }
  print_message("%u of %d pages, %u of %d in one shop\n", same, SHOPS * PAGES, worst, PAGES);
  assert_true(same * 100 < SHOPS * PAGES && worst * 10 < PAGES);
  text_free(&page);
}

/* Two soft 404s and honest pages, mixed: each soft 404 is known from its third page on, as often as it was said. */
CASE(what_is_said_again_is_kept)
{
  enum { PAGES = 600 };
  text page = {0};
  uint64_t dice = random_stream(4, 4);
  uint32_t times[2] = {0};
  unsigned lost = 0;
  for (unsigned i = 0; i < PAGES; i++) {
    unsigned which = random_below(&dice, 3);
    page.size = 0;
    if (which < 2)
      text_addf(&page, "%s %x", which ? "Sorry, we could not find the page" : "Leider gibt es hier nichts namens",
                random_below(&dice, 1 << 20));
    else
      add_words(&page, &dice, 30);
    same_text said = say(page.bytes);
    uint32_t found = same_texts_note(texts, "a.org", 5, &said);
    if (which == 2)
      assert_int_equal(found, 0);
    else if (times[which] && found)
      assert_int_equal(found, ++times[which]);
    else if (found)
      times[which] = found;
    else
      lost += times[which] > 0;
  }
  print_message("said %u and %u times\n", times[0], times[1]);
  assert_int_equal(lost, 0);
  assert_true(times[0] > PAGES / 4 && times[1] > PAGES / 4);
  same_text said = say("Sorry, we could not find the page 17");
  assert_int_equal(same_texts_note(texts, "b.org", 5, &said), 0); /* another host's */
  text_free(&page);
}

/* 10^6 hosts with a page each take no more memory, and do not push out the one that says the same on and on. */
CASE(many_hosts_have_no_more_room)
{
  same_text said = say("There is nothing here"), other = say("Welcome");
  uint32_t times = 0;
  for (unsigned i = 0; i < 1000000; i++) {
    char host[32];
    int size = snprintf(host, sizeof host, "host-%u.example", i);
    same_texts_note(texts, host, (size_t)size, &other);
    if (i % 50 == 0)
      times = same_texts_note(texts, "lost.example", 12, &said);
  }
  assert_int_equal(times, 1000000 / 50 - 1);
}

EACH_CASE(begin, end)
