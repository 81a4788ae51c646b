#include "sluice/flags.h"

#include "base/array.h"
#include "base/test.h"
#include "train/cluster/cluster_spec.h"

static struct {
  const char *data_dir;
  int64_t steps;
  int tasks;
  double rate;
  bool sync;
  sl_text_list_t hosts;
} flags;

static const sl_flag_t rows[] = {SL_FLAG(flags, data_dir, "where the data is"),
                                 SL_FLAG(flags, steps, "how long"),
                                 SL_FLAG(flags, tasks, "how many"),
                                 SL_FLAG(flags, rate, "how fast"),
                                 SL_FLAG(flags, sync, "whether"),
                                 SL_FLAG(flags, hosts, "who"),
                                 SL_FLAGS_END};

enum { MAX_WORDS = 12 };

// Parses |words| (up to NULL) into |flags| from fresh defaults; returns the code.
static int parse(const char *const *words, bool pass_unknown, char **out_text, int *out_left) {
  flags.data_dir = "data";
  flags.steps = 5;
  flags.sync = false;
  char *argv[MAX_WORDS + 1] = {"dir/prog"};
  int argc = 1;
  for (; words[argc - 1]; argc++) argv[argc] = (char *)words[argc - 1];
  sl_flags_options_t options = {.struct_size = sizeof(options), .pass_unknown = pass_unknown};
  int code = sl_flags_try_parse(&argc, argv, rows, &options, out_text);
  if (out_left) *out_left = argc - 1;
  return code;
}

SLI_TEST(test_flags_of_all_kinds) {
  char *text;
  const char *words[] = {"--data_dir=/d", "--steps",        "12", "--tasks=3", "--rate", "0.5",
                         "--sync",        "--hosts= a , b", NULL};
  int left;
  SLI_EXPECT_INT(parse(words, false, &text, &left), -1);
  SLI_EXPECT_INT(left, 0);
  SLI_EXPECT_TEXT(flags.data_dir, "/d");
  SLI_EXPECT_INT(flags.steps, 12);
  SLI_EXPECT_INT(flags.tasks, 3);
  SLI_EXPECT_NEAR(flags.rate, 0.5, 0);
  SLI_EXPECT(flags.sync);
  SLI_EXPECT_INT(flags.hosts.count, 2);
  SLI_EXPECT_TEXT(flags.hosts.items[1], "b");
  for (size_t i = 0; i < flags.hosts.count; i++) free(flags.hosts.items[i]);
  free(flags.hosts.items);
  flags.hosts = (sl_text_list_t){0};
}

// As in classic programs, where the flag of synchronous training has several names and kinds.
SLI_TEST(test_synchronous_training_has_the_names_that_users_type) {
  static const sl_flag_t names[] = {SL_FLAG(flags, sync, "whether"), SL_SYNC_FLAGS(flags, sync),
                                    SL_FLAG_ALIAS(flags, steps, "train_steps"), SL_FLAGS_END};
  static const struct {
    const char *words[3];
    bool before, after;
  } cases[] = {
      {{"--sync"}, false, true},
      {{"--nosync"}, true, false},
      {{"--is_sync"}, false, true},
      {{"--is_sync=true"}, false, true},
      {{"--is_sync=1"}, false, true},
      {{"--is_sync=0"}, true, false},
      {{"--is_sync=False"}, true, false},
      {{"--nois_sync"}, true, false},
      {{"--issync=1"}, false, true},
      {{"--issync", "1"}, false, true},
      {{"--issync", "0"}, true, false},
      {{"--issync", "True"}, false, true},
      {{"--sync_replicas"}, false, true},
      {{"--sync_replicas=true"}, false, true},
      {{"--nosync_replicas"}, true, false},
      {{"--sync-replicas"}, false, true},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    char *argv[4] = {"prog", (char *)cases[i].words[0], (char *)cases[i].words[1]}, *text = NULL;
    int argc = cases[i].words[1] ? 3 : 2;
    flags.sync = cases[i].before;
    SLI_EXPECT_INT(sl_flags_try_parse(&argc, argv, names, NULL, &text), -1);
    if (flags.sync != cases[i].after) sli_test_fail(__FILE__, __LINE__, "%s is ignored", cases[i].words[0]);
    SLI_EXPECT_INT(argc, 1);
    free(text);
  }
  char *argv[] = {"prog", "--train_steps=77", NULL}, *help[] = {"prog", "--help", NULL}, *text = NULL;
  SLI_EXPECT_INT(sl_flags_try_parse(&(int){2}, argv, names, NULL, &text), -1);
  SLI_EXPECT_INT(flags.steps, 77);
  SLI_EXPECT_INT(sl_flags_try_parse(&(int){2}, help, names, NULL, &text), 0);
  SLI_EXPECT_CONTAINS(text, "the same as --sync");
  free(text);
}

SLI_TEST(test_a_digit_after_a_bool_may_be_an_operand) {
  char *argv[] = {"prog", "--sync", "0", NULL}, *text = NULL;
  int argc = 3;
  flags.sync = false;
  sl_flags_options_t options = {.struct_size = sizeof(options), .operands = "NUMBER"};
  SLI_EXPECT_INT(sl_flags_try_parse(&argc, argv, rows, &options, &text), -1);
  SLI_EXPECT(flags.sync);
  SLI_EXPECT_INT(argc, 2);
}

SLI_TEST(test_bool_takes_python_words) {
  char *text;
  const char *words[] = {"--sync=True", NULL}, *others[] = {"--sync=False", NULL};
  SLI_EXPECT_INT(parse(words, false, &text, NULL), -1);
  SLI_EXPECT(flags.sync);
  SLI_EXPECT_INT(parse(others, false, &text, NULL), -1);
  SLI_EXPECT(!flags.sync);
}

static void expect_refused(const char *const *words, const char *part) {
  char *text = NULL;
  SLI_EXPECT_INT(parse(words, false, &text, NULL), 2);
  SLI_EXPECT_CONTAINS(text, part);
  SLI_EXPECT(text && strchr(text, '\n') == text + strlen(text) - 1);
  SLI_EXPECT_INT(flags.steps, 5);
  free(text);
}

SLI_TEST(test_bad_flags_are_refused_in_one_line) {
  expect_refused((const char *[]){"--setps=1", NULL}, "prog: unknown option --setps");
  expect_refused((const char *[]){"--steps=many", NULL}, "--steps");
  expect_refused((const char *[]){"word", NULL}, "'word' is not a flag");
}

// A program calls sl_cluster_from_args() first. What that could not read is reported as itself.
static void expect_cluster_flag_refused(const char *const *words, const char *part) {
  char *argv[MAX_WORDS + 1] = {"dir/prog"}, *text = NULL;
  int argc = 1;
  for (; words[argc - 1]; argc++) argv[argc] = (char *)words[argc - 1];
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  SLI_EXPECT_INT(sl_flags_try_parse(&argc, argv, rows, NULL, &text), 2);
  SLI_EXPECT_CONTAINS(text, part);
  SLI_EXPECT(text && !strstr(text, "--ps_hosts"));
  sli_cluster_spec_release(cluster);
  free(text);
}

SLI_TEST(test_a_bad_flag_of_the_cluster_is_reported_as_itself) {
  static const char hosts[] = "--ps_hosts=a:1,b:2", workers[] = "--worker_hosts=c:3", steps[] = "--steps=7";
  expect_cluster_flag_refused((const char *[]){hosts, workers, "--job_name=ps", "--task_index=one", steps, NULL},
                              "prog: --task_index must be a whole number from 0 to 1000000, got 'one'");
  expect_cluster_flag_refused((const char *[]){hosts, workers, "--task_index=-1", "--job_name=ps", steps, NULL},
                              "prog: --task_index must be a whole number from 0 to 1000000, got '-1'");
  expect_cluster_flag_refused((const char *[]){hosts, workers, "--task_id", "1.5", steps, NULL},
                              "prog: --task_id must be a whole number from 0 to 1000000, got '1.5'");
  expect_cluster_flag_refused((const char *[]){hosts, workers, "--task_idx=0", "--job_name=ps", NULL},
                              "unknown option --task_idx for 'prog'; did you mean --task_id");
  expect_cluster_flag_refused((const char *[]){hosts, "--worker_host=c:3", "--job_name=ps", NULL},
                              "unknown option --worker_host for 'prog'; did you mean --worker_hosts?");
  SLI_EXPECT(flags.steps != 7);
}

// The results of absl's flags, which tf.app.flags uses.
SLI_TEST(test_numbers_are_pythons) {
  static const struct {
    const char *word;
    bool good;
    double value;
  } words[] = {
      {"--steps=16", true, 16},
      {"--steps=0x10", true, 16},
      {"--steps=+5", true, 5},
      {"--steps=1_000", true, 1000},
      {"--steps=0o17", true, 15},
      {"--steps=017", true, 17},
      {"--steps=0x1_0", true, 16},
      {"--steps=0x_10", true, 16},
      {"--steps=0o_7", true, 7},
      {"--steps= 5 ", true, 5},
      {"--steps=-1_0", true, -10},
      {"--steps=0_7", true, 7},
      {"--steps=0X10", false},
      {"--steps=-0x10", false},
      {"--steps=1__0", false},
      {"--steps=_1", false},
      {"--steps=1_", false},
      {"--steps=0b11", false},
      {"--steps=0x", false},
      {"--steps=0x-5", false},
      {"--steps=0o8", false},
      {"--steps=0xg", false},
      {"--steps= 0x10", false},
      {"--steps=- 5", false},
      {"--steps=5.0", false},
      {"--steps=1e3", false},
      {"--steps=1,000", false},
      {"--steps=-", false},
      {"--steps=", false},
      {"--steps=9223372036854775808", false},
      {"--rate=1_000.5", true, 1000.5},
      {"--rate=1_0e1", true, 100},
      {"--rate= .5 ", true, 0.5},
      {"--rate=5.", true, 5},
      {"--rate=1_0", true, 10},
      {"--rate=1__0.5", false},
      {"--rate=1_.5", false},
      {"--rate=1._5", false},
      {"--rate=0x10", false},
      {"--rate=1e", false},
      {"--rate=1.5f", false},
      {"--rate=", false},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(words); i++) {
    char *text = NULL;
    int code = parse((const char *[]){words[i].word, NULL}, false, &text, NULL);
    if (code != (words[i].good ? -1 : 2)) sli_test_fail(__FILE__, __LINE__, "'%s' gave %d", words[i].word, code);
    double value = words[i].word[2] == 's' ? (double)flags.steps : flags.rate;
    if (words[i].good) SLI_EXPECT_NEAR(value, words[i].value, 0);
    free(text);
  }
}

SLI_TEST(test_unknown_flags_are_passed_on_when_asked) {
  char *text;
  int left;
  SLI_EXPECT_INT(parse((const char *[]){"--other=1", "--steps=9", NULL}, true, &text, &left), -1);
  SLI_EXPECT_INT(left, 1);
  SLI_EXPECT_INT(flags.steps, 9);
}

SLI_TEST(test_help_shows_flags_and_those_of_the_cluster) {
  char *text = NULL;
  SLI_EXPECT_INT(parse((const char *[]){"--help", NULL}, false, &text, NULL), 0);
  SLI_EXPECT_CONTAINS(text, "where the data is");
  SLI_EXPECT_CONTAINS(text, "worker");
  SLI_EXPECT_CONTAINS(text, "ps");
  free(text);
}

SLI_TEST_MAIN(test_flags_of_all_kinds, test_synchronous_training_has_the_names_that_users_type,
              test_a_digit_after_a_bool_may_be_an_operand, test_bool_takes_python_words,
              test_bad_flags_are_refused_in_one_line, test_a_bad_flag_of_the_cluster_is_reported_as_itself,
              test_numbers_are_pythons, test_unknown_flags_are_passed_on_when_asked,
              test_help_shows_flags_and_those_of_the_cluster)
