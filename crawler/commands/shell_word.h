/* A word of a command line, as people are to type it. */
#ifndef STRATA_CRAWLER_SHELL_WORD_H
#define STRATA_CRAWLER_SHELL_WORD_H

/* On stderr, behind a blank, in quotes where a shell needs them. */
void shell_word_print(const char *word);

#endif
