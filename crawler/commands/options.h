/* The options of a command: one table for the parser of its command line, its --help, and its list in the manual
 * (manual.c). A new option is a row in its command's table, a field, and the code that uses the field: three files at
 * most. */
#ifndef STRATA_CRAWLER_COMMANDS_OPTIONS_H
#define STRATA_CRAWLER_COMMANDS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the value is, and the field it goes to. */
typedef enum option_kind {
  OPTION_TEXT,    /* no option: `help` is a line of --help, such as a heading */
  OPTION_FLAG,    /* none; a bool becomes true. With `low`: an enum becomes `low` */
  OPTION_COUNT,   /* a whole number from `low` to `high`; unsigned, 16 to 64 bits */
  OPTION_BYTES,   /* the same, and K, M or G may follow */
  OPTION_SECONDS, /* seconds with a fraction; a number of milliseconds, at least `low` */
  OPTION_RATE,    /* a false-positive rate; double */
  OPTION_STRING,  /* const char *, in argv */
  OPTION_FILE,    /* const char *: a file that can be read */
  OPTION_CHOICE,  /* one of `choices`; an enum, 0 for the first */
  OPTION_PROFILE, /* url_profile */
  OPTION_CALL,    /* whatever `take` makes of it */
  OPTION_LIST,    /* ... of each part between commas */
} option_kind;

/* What a crawl's directory keeps of an option for when the crawl goes on (kept_options.h). With either,
 * --no-NAME takes back what is no number and no choice, of which the usual one is given: of --no-NAME itself, --NAME
 * does. With KEPT_NAME both may be given: this one, and no other. */
typedef enum option_keeping {
  KEPT_NOT,
  KEPT_VALUE,
  KEPT_NAME, /* that it was given: its value is a secret, or a file, which is opened only if this run names it */
} option_keeping;

/* What a command line has of a row. */
typedef struct option_use {
  const char *value; /* as typed, the last one; NULL: it takes none */
  bool is_given, is_revoked;
} option_use;

typedef struct option_row option_row;

/* false after one sentence on stderr. `value` is in argv. */
typedef bool option_taker(void *args, const option_row *row, char *value);

struct option_row {
  const char *name;  /* without dashes */
  const char *value; /* the word for its value; NULL: it takes none */
  option_kind kind;
  char letter;   /* also as -LETTER; 0: not */
  bool is_first; /* in the short --help too, if any row of the table is */
  bool is_once;  /* not to be repeated when a crawl goes on */
  option_keeping keeping;
  size_t offset, size; /* of the field: OPTION_FIELD */
  size_t given;        /* offset of a bool that becomes true: the option was given. 0: no such field */
  uint64_t low, high;
  const char *choices; /* "one|other"; NULL: as in `value` */
  option_taker *take;
  const char *help;   /* lines of --help, with \n between them */
  const char *manual; /* sentences, with mdoc macros in braces: "after {Ar N} pages."; NULL: as in `help` */
};

#define OPTION_FIELD(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

typedef struct option_table {
  const char *command;
  const char *before, *after; /* of --help: above and below the options; no `after`: NULL */
  const char *exits;          /* the exit codes; NULL: the usual ones */
  int column;                 /* of --help, where explanations begin */
  const option_row *rows;
  size_t count;
  size_t uses; /* offset of an option_use for each row; 0: not wanted */
  void (*refuse_number)(const option_row *row, const char *value); /* in the command's own words; NULL: in ours */
  size_t least_words, most_words;                                  /* besides options; no most: 0 */
  const char *wanted; /* the sentence if there are fewer or more; NULL: the command looks itself */
} option_table;

#define OPTION_ROWS(array) .rows = (array), .count = sizeof(array) / sizeof *(array)

/* Options of `argv` into `args`, a struct of the rows' fields, which has the defaults already. OPTIONS_READ: the other
 * words begin at argv[optind]. Else the exit code: --help was printed (with --all: all of it), or one sentence on
 * stderr said what is wrong. */
enum { OPTIONS_READ = -1 };
int options_read(const option_table *table, int argc, char **argv, void *args);

/* One of them, as if it was typed; `value` stays as long as `args`. false after one sentence on stderr. */
bool options_take(const option_table *table, const option_row *row, void *args, char *value);

/* "no-NAME", of "no-NAME" "NAME"; NULL: it is not taken back. Returns `name`. */
enum { OPTION_NAME_SIZE = 40 };
const char *options_revoking(const option_row *row, char name[OPTION_NAME_SIZE]);

/* The row that getopt takes a word for: of this name, or the only one whose name begins so. NULL: it takes none. */
const option_row *options_find(const option_table *table, const char *name, size_t size);

#endif
