/* datasets/replay/program.h: a filter that is a program: `exec:./mine`, `exec:python3 mine.py --bits 10`.
 *
 *     +//host/a/b    insert it, and answer whether it was there      file --stdin--> program --stdout--> answers
 *     ?//host/c      only answer                                     a line a key              a line a key
 *
 * An answer is "1" or "seen", "0" or "new", one for each line and in their order. STRATA_KEYS in the environment is
 * the number of different keys that will be inserted.
 *
 * All keys are written to a file before the program starts, and answers are kept until all have come. So a program
 * may buffer as it likes, and answer when its input ends; nobody waits for anybody else; and its time is its own,
 * that of starting it left out. Who asks goes through the same batches twice: to ask, and to read the answers. */
#ifndef STRATA_DATASETS_PROGRAM_H
#define STRATA_DATASETS_PROGRAM_H

#include "datasets/replay/batch.h"
#include "datasets/sort/advance.h"

#define PROGRAM_PREFIX "exec:"

/* What failed, in one sentence that names the program; static, or as long as the program's handle. */
enum { PROGRAM_FAILURE_SIZE = 400 };

typedef struct program_options {
  const char *name;      /* with the prefix; its words are separated by blanks, and no shell sees them */
  uint64_t keys;         /* for STRATA_KEYS */
  uint32_t limit_ms;     /* the longest that it may neither read nor answer */
  const char *directory; /* of the files, which have no names */
} program_options;

typedef struct program program;

bool program_is_name(const char *name); /* it begins with the prefix */

/* Can it be started, as far as one sees without starting it? False: `failure` says why not. */
bool program_exists(const char *name, char failure[PROGRAM_FAILURE_SIZE]);

program *program_create(const program_options *options); /* NULL: errno says why */
void program_free(program *old);                         /* NULL is fine. Nothing of the program runs any more. */

/* Ask for the keys of a batch, later. False: errno says why. */
bool program_ask(program *asked, bool is_insert, const key_batch *batch);

/* Start the program, and have it answer all that was asked. `told` (or NULL) is told of answers. */
bool program_run(program *asked, const advance *told);
const char *program_failure(const program *failed); /* why program_run was false */

/* The answers to the next batch, as they were asked, and how long they took. False: there is no such time, of the
 * first batch, from whose last answer on time is counted, and of a program that had read all before it began to
 * answer. */
bool program_answers(program *asked, size_t count, bool *is_seen, uint64_t *ns);

#endif
