// sluice completion: prints a completion script for bash or zsh, made from the option tables.
#include <stdio.h>
#include <string.h>

#include "cli/common/cli.h"

static const sli_option_t no_options[] = {{0}};

static const sli_option_t *options_of(const sli_cli_command_t *command) {
  return command->options->options ? command->options->options : no_options;
}

static void print_command_names(void) {
  for (size_t i = 0; i < sli_cli_command_count; i++) printf("%s%s", i ? " " : "", sli_cli_commands[i]->name);
}

// What the operand of a command can be, from its usage: the words of "bash|zsh", the commands for "[COMMAND]". Of other
// commands it can be anything, such as a file.
static bool takes_a_command(const sli_cli_command_t *command) {
  return command->options->operands && !strcmp(command->options->operands, "[COMMAND]");
}

static bool has_operand_words(const sli_cli_command_t *command) {
  const char *operands = command->options->operands;
  if (!operands || takes_a_command(command)) return operands != NULL;
  return strchr(operands, '|') && !strpbrk(operands, "[]ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void print_operand_words(const sli_cli_command_t *command) {
  if (!has_operand_words(command)) return;
  if (takes_a_command(command)) {
    print_command_names();
    return;
  }
  for (const char *at = command->options->operands; *at; at++) putchar(*at == '|' ? ' ' : *at);
}

static void print_bash(void) {
  fputs(
      "_sluice() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words operands i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 2; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} == -- ]] && { compopt -o default; return; }; done\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words='",
      stdout);
  print_command_names();
  fputs(
      " --help --version'\n"
      "  else\n"
      "    case ${COMP_WORDS[1]} in\n",
      stdout);
  for (size_t i = 0; i < sli_cli_command_count; i++) {
    const sli_cli_command_t *command = sli_cli_commands[i];
    printf("      %s) words='--help", command->name);
    for (const sli_option_t *option = options_of(command); option->name; option++) printf(" --%s", option->name);
    fputs("' operands='", stdout);
    print_operand_words(command);
    fputs("' ;;\n", stdout);
  }
  fputs(
      "    esac\n"
      "    if [[ $word != -* ]]; then\n"
      "      [[ -n $operands ]] || { compopt -o default; return; }\n"
      "      ((COMP_CWORD == 2)) && words=$operands || words=''\n"
      "    fi\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -F _sluice sluice\n",
      stdout);
}

// Prints text inside a zsh specification in single quotes.
static void print_zsh_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else if (strchr("[]:\\", *text))
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

static void print_zsh_option(const sli_option_t *option) {
  bool has_value = option->kind != SLI_OPTION_BOOL;
  printf(" '--%s%s[", option->name, option->implied ? "=-" : has_value ? "=" : "");
  print_zsh_text(option->help ? option->help : "");
  fputs("]", stdout);
  if (has_value) {
    fputs(option->implied ? "::" : ":", stdout);
    print_zsh_text(option->argument ? option->argument : "VALUE");
    fputs(":_files", stdout);
  }
  fputs("'", stdout);
}

static void print_zsh_operands(const sli_cli_command_t *command) {
  bool is_list = has_operand_words(command);
  fputs(is_list ? "1:argument:(" : "*::argument:_default", stdout);
  if (is_list) {
    print_operand_words(command);
    putchar(')');
  }
}

static void print_zsh(void) {
  fputs(
      "#compdef sluice\n"
      "_sluice() {\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a commands=(\n",
      stdout);
  for (size_t i = 0; i < sli_cli_command_count; i++) {
    printf("      '%s:", sli_cli_commands[i]->name);
    print_zsh_text(sli_cli_commands[i]->options->summary);
    fputs("'\n", stdout);
  }
  fputs(
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n",
      stdout);
  for (size_t i = 0; i < sli_cli_command_count; i++) {
    printf("    %s) _arguments '--help[show help]'", sli_cli_commands[i]->name);
    for (const sli_option_t *option = options_of(sli_cli_commands[i]); option->name; option++) print_zsh_option(option);
    fputs(" '", stdout);
    print_zsh_operands(sli_cli_commands[i]);
    fputs("' ;;\n", stdout);
  }
  // Initialises the completion of a shell that has not done so.
  fputs(
      "  esac\n"
      "}\n"
      "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\n"
      "compdef _sluice sluice\n",
      stdout);
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "completion needs one argument, the shell: bash or zsh");
  if (!strcmp(argv[1], "bash")) {
    print_bash();
  } else if (!strcmp(argv[1], "zsh")) {
    print_zsh();
  } else {
    return sli_cli_fail(SLI_CLI_USAGE, "the shell must be bash or zsh, got '%s'", argv[1]);
  }
  return SLI_CLI_OK;
}

static const sli_options_t options = {.program = "sluice completion",
                                      .operands = "bash|zsh",
                                      .summary = "Print a completion script for a shell",
                                      .examples =
                                          "  eval \"$(sluice completion bash)\"\n"
                                          "  eval \"$(sluice completion zsh)\"\n"};
const sli_cli_command_t sli_cli_completion = {.name = "completion", .options = &options, .run = run};
