/* Build tool for completion: strata_completion bash|zsh|fish FILE writes what that shell wants to know of the commands
 * and their options, from the tables that --help and the parser use. */
#include "crawler/commands/cmd.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum value_kind { NO_VALUE, ANY_VALUE, FILE_VALUE, WORD_VALUE } value_kind;

static const char *choices_of(const option_row *row)
{
  return row->choices ? row->choices : row->value;
}

static value_kind kind_of(const option_row *row)
{
  if (!row->value)
    return NO_VALUE;
  if (row->kind == OPTION_CHOICE)
    return WORD_VALUE;
  return row->kind == OPTION_FILE || strstr(row->value, "FILE") || strstr(row->value, "DIR") ? FILE_VALUE : ANY_VALUE;
}

static void print_choices(const option_row *row)
{
  for (const char *at = choices_of(row); *at; at++)
    putchar(*at == '|' ? ' ' : *at);
}

/* The first line, without the bytes that mean something to a shell within '...' or to zsh within [...]. */
static void print_words(const char *text)
{
  for (; *text && *text != '\n'; text++)
    if (!strchr("'[]\\:`$", *text))
      putchar(*text);
}

static void print_commands(void)
{
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    printf("%s ", c->options->command);
}

typedef void row_printer(const option_table *table, const option_row *row);

static void each_row(const option_table *table, row_printer *print)
{
  for (const option_row *row = table->rows; row < table->rows + table->count; row++)
    if (row->kind != OPTION_TEXT)
      print(table, row);
}

/* ---- bash ------------------------------------------------------------------------------------------------ */

static void bash_name(const option_table *table, const option_row *row)
{
  (void)table;
  printf("--%s ", row->name);
  if (row->letter)
    printf("-%c ", row->letter);
}

static void bash_value(const option_table *table, const option_row *row)
{
  (void)table;
  value_kind kind = kind_of(row);
  if (kind == NO_VALUE)
    return;
  printf("        --%s", row->name);
  if (row->letter)
    printf(" | -%c", row->letter);
  fputs(") words='", stdout);
  if (kind == WORD_VALUE)
    print_choices(row);
  printf("' kind=%s ;;\n", kind == WORD_VALUE ? "words" : kind == FILE_VALUE ? "files" : "any");
}

static void print_bash(void)
{
  puts("# bash completion of strata, made from its tables of options\n"
       "_strata()\n"
       "{\n"
       "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= words= kind=\n"
       "  if [[ $current == = ]]; then # --option=\n"
       "    current=\n"
       "  elif [[ $before == = ]]; then\n"
       "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
       "  fi\n"
       "  COMPREPLY=()\n"
       "  if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == help ]]; }; then");
  fputs("    words='", stdout);
  print_commands();
  puts("'\n"
       "    ((COMP_CWORD == 2)) || words+='help --help --version'\n"
       "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
       "    return\n"
       "  fi\n"
       "  case ${COMP_WORDS[1]} in");
  for (const cmd_entry *c = cmd_entries; c->run; c++) {
    printf("    %s)\n      options='", c->options->command);
    each_row(c->options, bash_name);
    puts("--help'\n      case $before in");
    each_row(c->options, bash_value);
    puts("        *) ;;\n      esac ;;");
  }
  puts("  esac\n"
       "  case $kind in\n"
       "    words) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
       "    any) ;;\n"
       "    *)\n"
       "      if [[ -z $kind && $current == -* ]]; then\n"
       "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
       "      else\n"
       "        compopt -o default # files\n"
       "      fi ;;\n"
       "  esac\n"
       "}\n"
       "complete -F _strata strata");
}

/* ---- zsh -------------------------------------------------------------------------------------------------- */

static void zsh_row(const option_table *table, const option_row *row)
{
  (void)table;
  value_kind kind = kind_of(row);
  fputs("        ", stdout);
  if (row->letter)
    printf("'*-%c[", row->letter), print_words(row->help), printf("]%s' ", row->value ? ":value:_files" : "");
  printf("'*--%s%s[", row->name, row->value ? "=" : "");
  print_words(row->help);
  putchar(']');
  if (kind != NO_VALUE) {
    putchar(':');
    print_words(kind == WORD_VALUE ? row->name : row->value);
    putchar(':');
  }
  if (kind == FILE_VALUE)
    fputs("_files", stdout);
  if (kind == WORD_VALUE)
    putchar('('), print_choices(row), putchar(')');
  puts("' \\");
}

static void print_zsh(void)
{
  puts("#compdef strata\n"
       "# zsh completion of strata, made from its tables of options\n"
       "local -a commands\n"
       "commands=(");
  for (const cmd_entry *c = cmd_entries; c->run; c++) {
    printf("  '%s:", c->options->command);
    print_words(c->what);
    puts("'");
  }
  puts("  'help:how a command is used'\n"
       ")\n"
       "if ((CURRENT == 2)) || [[ CURRENT -eq 3 && $words[2] == help ]]; then\n"
       "  _describe command commands\n"
       "  return\n"
       "fi\n"
       "shift words\n"
       "((CURRENT--))\n"
       "case $words[1] in");
  for (const cmd_entry *c = cmd_entries; c->run; c++) {
    printf("  %s)\n    _arguments \\\n", c->options->command);
    each_row(c->options, zsh_row);
    puts("        '--help[explain the options]' '*:file:_files' ;;");
  }
  puts("esac");
}

/* ---- fish ------------------------------------------------------------------------------------------------- */

static void fish_row(const option_table *table, const option_row *row)
{
  value_kind kind = kind_of(row);
  printf("complete -c strata -n '__fish_seen_subcommand_from %s' -l %s", table->command, row->name);
  if (row->letter)
    printf(" -s %c", row->letter);
  if (kind == FILE_VALUE)
    fputs(" -r -F", stdout);
  if (kind == ANY_VALUE || kind == WORD_VALUE)
    fputs(" -x", stdout);
  if (kind == WORD_VALUE)
    fputs(" -a '", stdout), print_choices(row), putchar('\'');
  fputs(" -d '", stdout);
  print_words(row->help);
  puts("'");
}

static void print_fish(void)
{
  puts("# fish completion of strata, made from its tables of options\n"
       "complete -c strata -n __fish_use_subcommand -f");
  for (const cmd_entry *c = cmd_entries; c->run; c++) {
    printf("complete -c strata -n __fish_use_subcommand -a %s -d '", c->options->command);
    print_words(c->what);
    puts("'");
  }
  fputs("complete -c strata -n __fish_use_subcommand -a help -d 'how a command is used'\n"
        "complete -c strata -n __fish_use_subcommand -l version -d 'the version'\n"
        "complete -c strata -n '__fish_seen_subcommand_from help' -f -a '",
        stdout);
  print_commands();
  puts("'\n"
       "complete -c strata -l help -d 'explain the options'");
  for (const cmd_entry *c = cmd_entries; c->run; c++)
    each_row(c->options, fish_row);
}

int main(int argc, char **argv)
{
  static const struct shell {
    const char *name;
    void (*print)(void);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; argc == 3 && i < sizeof shells / sizeof *shells; i++)
    if (strcmp(argv[1], shells[i].name) == 0 && freopen(argv[2], "w", stdout)) {
      shells[i].print();
      return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
    }
  fputs("completion bash|zsh|fish FILE\n", stderr);
  return EXIT_FAILED;
}
