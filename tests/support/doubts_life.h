/* tests/support/doubts_life.h: links that wait to be confirmed, in a real directory (frontier/late/doubts.h), beside a
 * plain model of them. Every function checks what it is given against the model; `life` is both. */
#ifndef STRATA_TESTS_DOUBTS_LIFE_H
#define STRATA_TESTS_DOUBTS_LIFE_H

#include "frontier/late/doubt_parts.h"
#include "frontier/late/doubts.h"
#include "frontier/store/store_rows.h"
#include "tests/support/scratch.h"

enum { KEYS = 700, ROWS_MAX = 30000 };

/* As it is now, as it was sealed, as it is on disk. */
typedef struct moment {
  uint64_t next, settled, late;
  bool key_is_late[KEYS];
  bool row_is_late[ROWS_MAX];
} moment;

extern struct life {
  char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  uint64_t dice;
  store *s;
  doubts *d;
  moment now, sealed, durable;
  struct {
    unsigned key;
    bool has_own_key, has_payload;
  } rows[ROWS_MAX];
  numbered_key pass[ROWS_MAX]; /* what is to come in it, in order */
  size_t pass_count, pass_at;
  uint64_t pass_end;
  bool may_fail; /* calls, by faults.h */
} life;

int life_begin(void **state); /* before and after each case */
int life_end(void **state);

mlbf_hash128 life_hash_of(unsigned key); /* some differ in one half alone */

typedef struct life_texts {
  char url[200], payload[3000];
} life_texts;
doubt_row life_row_of(uint64_t number, life_texts *t);

/* Of "doubts.*", the `which`-th; returns how many there are, with those that are being written or not. */
size_t life_list_files(bool is_any, size_t which, char path[SCRATCH_PATH]);

/* If calls may fail, one of the next will. */
void life_arm(void);
/* The call failed: it may be repeated if that was our doing. */
void life_forgive(void);
#define SURELY(call)            \
  while ((call) != FRONTIER_OK) \
  life_forgive()

void life_open_store(bool is_writer);
frontier_status life_try_open(const uint8_t *body, size_t size, bool is_writer);
void life_open(bool is_writer);
void life_close(void);
void life_crash(void);         /* all that is not on disk is lost */
void life_check_numbers(void); /* how many wait, are on disk, were late */

void life_add(size_t count);
typedef enum life_cut { CUT_NOT, CUT_SEALED, CUT_WRITTEN } life_cut;
void life_commit(life_cut at); /* with more added meanwhile; or cut short, as a crash would */
void life_steps(size_t most);
void life_begin_pass(void);
void life_go_on(size_t most); /* some of the pass; then it ends if that was all */
void life_settle_all(void);   /* until no link waits */

void life_ask(void);
void life_see_all(void);
void life_damage_a_file(void);
void life_be_a_reader(bool is_disturbed); /* the writer is gone; files may go away while it reads */

#endif
