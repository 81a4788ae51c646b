#include "base/options.h"

#include "base/array.h"
#include "base/test.h"

static struct {
  bool sync, verbose;
  int64_t steps;
  int32_t tasks;
  double rate;
  const char *dir, *style;
  sli_option_list_t hosts, feeds;
  bool steps_given;
} flags;

static const char *const styles[] = {"task_index", "task_id", NULL};
static const sli_option_t table[] = {
    {.name = "sync", .kind = SLI_OPTION_BOOL, .value = &flags.sync, .help = "wait for all"},
    {.name = "verbose", .kind = SLI_OPTION_BOOL, .value = &flags.verbose, .help = "say more"},
    {.name = "steps",
     .kind = SLI_OPTION_INT,
     .value = &flags.steps,
     .given = &flags.steps_given,
     .argument = "N",
     .help = "steps to train"},
    {.name = "tasks", .kind = SLI_OPTION_INT32, .value = &flags.tasks, .minimum = 0, .maximum = 9, .help = "tasks"},
    {.name = "learning_rate", .kind = SLI_OPTION_DOUBLE, .value = &flags.rate, .help = "step size"},
    {.name = "log-dir", .kind = SLI_OPTION_TEXT, .value = &flags.dir, .argument = "DIR", .help = "where to write"},
    {.name = "style",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.style,
     .implied = "task_index",
     .words = styles,
     .argument = "NAME",
     .help = "name of the flag"},
    {.name = "worker_hosts", .kind = SLI_OPTION_LIST, .value = &flags.hosts, .argument = "LIST", .help = "workers"},
    {.name = "feed", .kind = SLI_OPTION_EACH, .value = &flags.feeds, .argument = "NAME=VALUE", .help = "feeds"},
    {0}};

static void reset_flags(void) {
  sli_option_list_deinitialize(&flags.hosts);
  sli_option_list_deinitialize(&flags.feeds);
  memset(&flags, 0, sizeof(flags));
  flags.steps = 7;
}

// The words behind "prog", in a static argv that the parser may change.
static char *words[16];
static int word_count;
static bool help;

static sli_status_t *parse(sli_options_t spec, const char *text) {
  static char copy[256];
  reset_flags();
  snprintf(copy, sizeof(copy), "prog %s", text);
  word_count = 0;
  for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
    words[word_count++] = word;
  words[word_count] = NULL;
  spec.program = "prog";
  spec.options = table;
  return sli_options_parse(&spec, &word_count, words, &help);
}

static sli_status_t *parse_plain(const char *text) { return parse((sli_options_t){0}, text); }

static const char *rest(void) {
  static char joined[256];
  joined[0] = '\0';
  for (int i = 1; i < word_count; i++) {
    strcat(joined, i > 1 ? " " : "");
    strcat(joined, words[i]);
  }
  SLI_EXPECT(words[word_count] == NULL);
  return joined;
}

static void expect_refused(sli_status_t *status, const char *message) {
  SLI_EXPECT_CONTAINS(sli_status_message(status), message);
  SLI_EXPECT_STATUS(status, SLI_INVALID_ARGUMENT);
}

SLI_TEST(test_options_take_joined_and_detached_values) {
  SLI_EXPECT_OK(parse_plain("a --steps=12 --learning-rate -0.5 b -log_dir /x --tasks 3 -1.5 -"));
  SLI_EXPECT_INT(flags.steps, 12);
  SLI_EXPECT(flags.steps_given);
  SLI_EXPECT_NEAR(flags.rate, -0.5, 0);
  SLI_EXPECT_TEXT(flags.dir, "/x");
  SLI_EXPECT_INT(flags.tasks, 3);
  SLI_EXPECT_TEXT(rest(), "a b -1.5 -");
}

SLI_TEST(test_options_that_count_each_time_keep_all_values) {
  SLI_EXPECT_OK(parse_plain("--feed x=1,2 a --feed=y= --steps 3"));
  SLI_EXPECT_INT(flags.feeds.count, 2);
  SLI_EXPECT_TEXT(flags.feeds.items[0], "x=1,2");
  SLI_EXPECT_TEXT(flags.feeds.items[1], "y=");
  SLI_EXPECT_TEXT(rest(), "a");
}

SLI_TEST(test_options_read_every_form_of_bool) {
  static const struct {
    const char *text;
    bool sync;
    const char *rest;
  } cases[] = {{"--sync", true, ""},
               {"--sync=True", true, ""},
               {"--sync=1", true, ""},
               {"--sync True", true, ""},
               {"--sync --nosync", false, ""},
               {"--sync --no-sync", false, ""},
               {"--sync --sync=false", false, ""},
               {"--sync False x", false, "x"},
               {"--sync true", true, "true"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    SLI_EXPECT_OK(parse_plain(cases[i].text));
    SLI_EXPECT_INT(flags.sync, cases[i].sync);
    SLI_EXPECT_TEXT(rest(), cases[i].rest);
  }
}

SLI_TEST(test_options_trim_lists_and_last_wins) {
  reset_flags();
  char *argv[] = {"prog", "--worker_hosts=x", "--worker-hosts", " a:1, b:2,,c:3 ", NULL};
  int argc = 4;
  sli_options_t spec = {.program = "prog", .options = table};
  SLI_EXPECT_OK(sli_options_parse(&spec, &argc, argv, &help));
  SLI_REQUIRE(flags.hosts.count == 3);
  SLI_EXPECT_TEXT(flags.hosts.items[0], "a:1");
  SLI_EXPECT_TEXT(flags.hosts.items[1], "b:2");
  SLI_EXPECT_TEXT(flags.hosts.items[2], "c:3");
  SLI_EXPECT_OK(parse_plain("--worker_hosts="));
  SLI_EXPECT_INT(flags.hosts.count, 0);
}

SLI_TEST(test_options_refuse_bad_values_and_store_nothing) {
  expect_refused(parse_plain("--steps 3 --tasks 10"), "--tasks must be a whole number from 0 to 9, got '10'");
  SLI_EXPECT_INT(flags.steps, 7);
  SLI_EXPECT(!flags.steps_given);
  SLI_EXPECT_TEXT(rest(), "--steps 3 --tasks 10");
  expect_refused(parse_plain("--steps 3x"), "--steps must be a whole number, got '3x'; see 'prog --help'");
  expect_refused(parse_plain("--tasks=99999999999"), "--tasks must be");
  expect_refused(parse_plain("--learning_rate fast"), "--learning_rate must be a number, got 'fast'");
  expect_refused(parse_plain("--sync=maybe"), "--sync must be true or false");
  expect_refused(parse_plain("--log-dir --sync"), "--log-dir needs a value: --log-dir=DIR");
  expect_refused(parse_plain("--log-dir"), "--log-dir needs a value");
  expect_refused(parse_plain("--style=rank"), "--style must be task_index or task_id, got 'rank'");
}

SLI_TEST(test_options_imply_a_value_only_when_bare) {
  SLI_EXPECT_OK(parse_plain("--style task_id"));
  SLI_EXPECT_TEXT(flags.style, "task_index");
  SLI_EXPECT_TEXT(rest(), "task_id");
  SLI_EXPECT_OK(parse_plain("--style=task_id"));
  SLI_EXPECT_TEXT(flags.style, "task_id");
}

SLI_TEST(test_options_unknown_is_refused_with_suggestion) {
  expect_refused(parse_plain("--stesp=3"),
                 "unknown option --stesp for 'prog'; did you mean --steps? Or see 'prog --help'");
  expect_refused(parse_plain("--zzz"), "unknown option --zzz for 'prog'; see 'prog --help'");
  expect_refused(parse_plain("--nosteps"), "unknown option --nosteps");
  expect_refused(parse_plain("-x"), "unknown option --x");
}

SLI_TEST(test_options_unknown_is_passed_on_in_order) {
  sli_options_t spec = {.pass_unknown = true};
  SLI_EXPECT_OK(parse(spec, "--foo 3 --steps 4 --bar=x y -- --steps 5"));
  SLI_EXPECT_INT(flags.steps, 4);
  SLI_EXPECT_TEXT(rest(), "--foo 3 --bar=x y -- --steps 5");
}

SLI_TEST(test_options_end_at_dashes_or_first_operand) {
  SLI_EXPECT_OK(parse_plain("x --steps 4 -- --steps 5 -- --help"));
  SLI_EXPECT(!help);
  SLI_EXPECT_INT(flags.steps, 4);
  SLI_EXPECT_TEXT(rest(), "x --steps 5 -- --help");
  SLI_EXPECT_OK(parse((sli_options_t){.options_first = true}, "--steps 4 run --steps 5 --unknown"));
  SLI_EXPECT_INT(flags.steps, 4);
  SLI_EXPECT_TEXT(rest(), "run --steps 5 --unknown");
}

SLI_TEST(test_options_help_wins_over_errors_and_shows_defaults) {
  SLI_EXPECT_OK(parse_plain("--steps 3 --bogus --help"));
  SLI_EXPECT(help);
  SLI_EXPECT_OK(parse_plain("-h"));
  SLI_EXPECT(help);
  flags.sync = true;
  sli_string_t text = {0};
  sli_options_help(&(sli_options_t){.program = "prog",
                                    .operands = "FILE",
                                    .summary = "Trains",
                                    .description = "One paragraph that is long enough to be broken at the eightieth "
                                                   "column of a terminal.\n\nTwo.",
                                    .examples = "  prog x\n",
                                    .options = table},
                   &text);
  SLI_EXPECT_CONTAINS(text.data, "Usage: prog [OPTIONS] FILE\nTrains.\n\nOne paragraph that");
  SLI_EXPECT_CONTAINS(text.data, "\n\nTwo.\n\nOptions:\n");
  SLI_EXPECT_CONTAINS(text.data, "  --[no]sync              wait for all (default: true)\n");
  SLI_EXPECT_CONTAINS(text.data, "  --steps N               steps to train (default: 7)\n");
  SLI_EXPECT_CONTAINS(text.data, "  --style[=NAME]          name of the flag\n");
  SLI_EXPECT_CONTAINS(text.data, "  --help                  show this text\n\nExamples:\n  prog x\n");
  size_t column = 0;
  for (size_t i = 0; i < text.size; i++) {
    column = text.data[i] == '\n' ? 0 : column + 1;
    SLI_EXPECT(column <= 80);
  }
  sli_string_deinitialize(&text);
  reset_flags();
}

SLI_TEST(test_nearest_finds_slips_and_no_strangers) {
  static const char *const names[] = {"launch", "serve", "status", "doctor"};
  SLI_EXPECT_TEXT(sli_options_nearest("lanuch", names, 4), "launch");
  SLI_EXPECT_TEXT(sli_options_nearest("stats", names, 4), "status");
  SLI_EXPECT_TEXT(sli_options_nearest("doc", names, 4), "doctor");
  SLI_EXPECT(sli_options_nearest("inspect", names, 4) == NULL);
  SLI_EXPECT(sli_options_nearest("", names, 4) == NULL);
}

SLI_TEST_MAIN(test_options_take_joined_and_detached_values, test_options_that_count_each_time_keep_all_values,
              test_options_read_every_form_of_bool, test_options_trim_lists_and_last_wins,
              test_options_refuse_bad_values_and_store_nothing, test_options_imply_a_value_only_when_bare,
              test_options_unknown_is_refused_with_suggestion, test_options_unknown_is_passed_on_in_order,
              test_options_end_at_dashes_or_first_operand, test_options_help_wins_over_errors_and_shows_defaults,
              test_nearest_finds_slips_and_no_strangers)
