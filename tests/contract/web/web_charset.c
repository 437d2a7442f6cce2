/* Words of three languages, in charsets whose letters are where arithmetic finds them: no tables.
 *
 *     windows-1251   U+0410..U+044F -> C0..FF
 *     windows-1252   U+00A0..U+00FF -> A0..FF
 *     Shift_JIS      hiragana U+3041..U+3093 -> 82 9F..82 F1 */
#include "tests/contract/web/web_inside.h"

#include <string.h>

enum { WORD_MAX = 16 }; /* bytes: each is copied whole, whatever its length, as that is one move */

static const char english[][WORD_MAX] = {
  "a",     "about",   "after", "again",  "all",    "also",   "and",    "are",    "as",      "at",       "bank",
  "be",    "because", "been",  "before", "bird",   "book",   "bridge", "but",    "by",      "can",      "city",
  "cloud", "coast",   "come",  "could",  "day",    "do",     "door",   "down",   "early",   "east",     "even",
  "every", "field",   "find",  "fire",   "first",  "fish",   "for",    "forest", "from",    "garden",   "get",
  "give",  "go",      "good",  "grass",  "had",    "hand",   "have",   "he",     "her",     "here",     "hill",
  "him",   "his",     "house", "how",    "if",     "in",     "into",   "is",     "island",  "it",       "its",
  "just",  "know",    "lake",  "lamp",   "last",   "letter", "light",  "like",   "little",  "long",     "look",
  "made",  "make",    "man",   "market", "may",    "me",     "moon",   "more",   "morning", "mountain", "much",
  "my",    "name",    "new",   "night",  "no",     "north",  "not",    "now",    "of",      "old",      "on",
  "one",   "only",    "or",    "other",  "our",    "out",    "over",   "paper",  "path",    "people",   "rain",
  "river", "road",    "room",  "said",   "school", "sea",    "see",    "she",    "ship",    "snow",     "so",
  "some",  "song",    "south", "spring", "star",   "stone",  "street",
};
static const char russian[][WORD_MAX] = {
  "в", "город", "дом", "и", "книга", "лес", "море", "на", "небо", "ночь", "окно", "он", "она", "птица", "река", "свет",
};
static const char japanese[][WORD_MAX] = {
  "うみ", "かわ", "き",   "くも",   "こと", "さくら", "そら", "つき",
  "とり", "の",   "はな", "ひかり", "ほん", "みち",   "やま", "よる",
};

static const struct {
  const char *name, *letter;
  const char (*words)[WORD_MAX];
  uint32_t count; /* a power of two */
} charsets[] = {
  [WEB_UTF8] = {"utf-8", "é", english, 128},
  [WEB_1251] = {"windows-1251", "ж", russian, 16},
  [WEB_SJIS] = {"shift_jis", "あ", japanese, 16},
  [WEB_1252] = {"windows-1252", "é", english, 128},
};
_Static_assert(sizeof english / sizeof *english == 128, "as many as are drawn from");
_Static_assert(sizeof russian / sizeof *russian == 16 && sizeof japanese / sizeof *japanese == 16, "the same");

const char *web_charset_name(web_charset charset)
{
  return charsets[charset].name;
}

const char *web_charset_letter(web_charset charset)
{
  return charsets[charset].letter;
}

/* One code point of two or three bytes; 0: `utf8` does not begin with such a one. */
static unsigned read_letter(const unsigned char *utf8, size_t *size)
{
  *size = 1;
  if ((utf8[0] & 0xE0) == 0xC0 && (utf8[1] & 0xC0) == 0x80) {
    *size = 2;
    return (utf8[0] & 0x1Fu) << 6 | (utf8[1] & 0x3Fu);
  }
  if ((utf8[0] & 0xF0) == 0xE0 && (utf8[1] & 0xC0) == 0x80 && (utf8[2] & 0xC0) == 0x80) {
    *size = 3;
    return (utf8[0] & 0x0Fu) << 12 | (utf8[1] & 0x3Fu) << 6 | (utf8[2] & 0x3Fu);
  }
  return 0;
}

void web_add_letters(text *out, web_charset charset, const char *utf8)
{
  size_t size;
  for (; *utf8; utf8 += size) {
    unsigned letter = read_letter((const unsigned char *)utf8, &size);
    if (charset == WEB_1251 && letter >= 0x410 && letter <= 0x44F) {
      text_add_byte(out, (char)(letter - 0x410 + 0xC0));
    } else if (charset == WEB_1252 && letter >= 0xA0 && letter <= 0xFF) {
      text_add_byte(out, (char)letter);
    } else if (charset == WEB_SJIS && letter >= 0x3041 && letter <= 0x3093) {
      text_add_byte(out, (char)0x82);
      text_add_byte(out, (char)(letter - 0x3041 + 0x9F));
    } else {
      text_add_bytes(out, utf8, size);
    }
  }
}

/* Seven words of nine bits each from one number: fewer draws, and one piece to add. */
void web_add_words(text *out, web_charset charset, size_t size, uint64_t *state, uint64_t *other)
{
  enum { BITS = 9, WORDS = 7 };
  char piece[WORDS * WORD_MAX + 1];
  size_t end = out->size + size;
  while (out->size < end) {
    uint64_t dice = web_dice_next(state);
    bool is_other = other && (dice >> 61) == 0; /* one group of seven words in eight begins with another word */
    size_t at = 0;
    for (unsigned i = 0; i < WORDS; i++, dice >>= BITS) {
      uint64_t drawn = is_other && i == 0 ? web_dice_next(other) : dice;
      const char *word = charsets[charset].words[drawn & (charsets[charset].count - 1)];
      memcpy(piece + at, word, WORD_MAX);
      at += strlen(word);
      piece[at++] = ' ';
    }
    piece[at] = '\0';
    if (charset == WEB_UTF8)
      text_add_bytes(out, piece, at);
    else
      web_add_letters(out, charset, piece);
  }
}
