// What a network does and loopback does not: links that fail, names with addresses that nobody answers, tasks that
// move.
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/hosts/hosts.h"

SLI_TEST(test_a_name_may_have_addresses_that_nobody_answers) {
  if (!hosts_make(HOSTS_MAX)) return;
  // Of the three addresses of each ps only one exists, in another place for each of its clients.
  for (int i = 0; i < HOSTS_MAX; i++) {
    sli_string_t text = {0};
    sli_string_append_text(&text, "127.0.0.1 localhost\n");
    for (int k = 0; k < HOSTS_MAX; k++)
      sli_string_append_format(&text, "10.77.0.9%d host%d\n10.77.0.%d host%d\nfd77::9%d host%d\n", k, k, k + 1, k, k,
                               k);
    hosts_write_names(i, sli_string_text(&text));
    sli_string_deinitialize(&text);
  }
  hosts_job_t job;
  hosts_job_initialize(&job, "several", hosts_names, (const char *[]){"--steps=60", NULL});
  hosts_job_start(&job);
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
}

// A promise to users, and the one time that is checked: probes take 7 s, so a loaded machine has 3 s to spare.
enum { NAMED_WITHIN = 10 };

// Cuts |host| for longer than a probe takes and mends it; the training then ends well.
static void cut_and_mend(const char *name, int host, int witness, const char *named, const char *const *flags) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, name, hosts_names, flags);
  hosts_job_start(&job);
  hosts_job_wait_until_training(&job);
  hosts_cut(host);
  int64_t start = sli_clock_now_nanos();
  train_task_expect(&job.cluster, &job.cluster.tasks[witness], named);
  double seconds = (double)(sli_clock_now_nanos() - start) / 1e9;
  printf("%s: named after %.1f s\n", name, seconds);
  SLI_EXPECT(seconds <= NAMED_WITHIN);
  hosts_mend(host);
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_a_cut_link_to_a_worker_is_named_and_training_resumes) {
  cut_and_mend("cut-worker", 3, HOSTS_CHIEF, "lost /job:worker/task:1 at host3:2222",
               (const char *[]){"--steps=1500", "--step_millis=10", NULL});
}

SLI_TEST(test_a_cut_link_to_a_ps_is_named_and_training_resumes) {
  cut_and_mend("cut-ps", 1, HOSTS_CHIEF, "lost a task, starting a new session: From /job:ps/replica:0/task:1",
               (const char *[]){"--steps=600", "--save_steps=50", "--step_millis=10", NULL});
}

SLI_TEST(test_a_cut_link_in_synchronous_training) {
  cut_and_mend("cut-sync", 3, HOSTS_CHIEF, "lost /job:worker/task:1 at host3:2222",
               (const char *[]){"--sync", "--steps=300", "--save_steps=50", "--step_millis=10", NULL});
}

// A task dies while its link is cut, so that nobody hears of it: its peers keep connections whose other end is gone. A
// new one takes its address.
static void kill_unheard(const char *name, int task, const char *const *flags) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, name, hosts_names, flags);
  hosts_job_start(&job);
  hosts_job_wait_until_training(&job);
  hosts_cut(task);
  train_task_signal(&job.cluster.tasks[task], SIGKILL);
  // What the dead task's host still had to send is lost, too.
  SLI_EXPECT_INT(HOSTS_COMMAND(task, "sh", "-c",
                               "ip link set eth0 down; ip link set eth0 up; "
                               "ip address replace fd77::$1/64 dev eth0 nodad",
                               "sh", (const char *[]){"1", "2", "3", "4"}[task]),
                 0);
  hosts_mend(task);
  hosts_start_task(&job.cluster, &job.cluster.tasks[task]);
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_connections_whose_other_end_is_gone) {
  kill_unheard("gone-ps", 1, (const char *[]){"--steps=300", "--save_steps=10", "--step_millis=10", NULL});
  kill_unheard("gone-worker", 3, (const char *[]){"--steps=1000", "--step_millis=10", NULL});
  kill_unheard("gone-sync", 3, (const char *[]){"--sync", "--steps=200", "--save_steps=10", "--step_millis=10", NULL});
}

// A slow link delays the training but does not break it.
SLI_TEST(test_a_slow_link_to_a_ps_is_no_error) {
  if (!hosts_make(HOSTS_MAX) || !hosts_limit(0, "1mbit", "16kb") || !hosts_limit(1, "1mbit", "16kb")) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "slow", hosts_names, (const char *[]){"--steps=200", "--save_steps=50", NULL});
  hosts_job_start(&job);
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
  hosts_limit(0, "10gbit", "10mb");
  hosts_limit(1, "10gbit", "10mb");
}

SLI_TEST(test_a_ps_that_moves_to_another_address_is_found) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "move", hosts_names,
                       (const char *[]){"--steps=300", "--save_steps=10", "--step_millis=10", NULL});
  hosts_job_start(&job);
  hosts_job_wait_until_training(&job);
  train_task_t *ps = train_ps(&job.cluster, 1);
  train_task_signal(ps, SIGKILL);
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "ip", "address", "del", "10.77.0.2/24", "dev", "eth0"), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "ip", "address", "add", "10.77.0.50/24", "dev", "eth0"), 0);
  for (int i = 0; i < HOSTS_MAX; i++)
    hosts_write_names(i, "127.0.0.1 localhost\n10.77.0.1 host0\n10.77.0.50 host1\n10.77.0.3 host2\n10.77.0.4 host3\n");
  hosts_start_task(&job.cluster, ps);
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "ip", "address", "replace", "10.77.0.2/24", "dev", "eth0"), 0);
}

// Starts a task whose wall clock is wrong by |seconds|.
static void start_skewed(hosts_job_t *job, int task, const char *seconds) {
  setenv("LD_PRELOAD", SLI_BUILD_DIR "/tests/libskewed_clock.so", 1);
  setenv("SKEW_SECONDS", seconds, 1);
  hosts_start_task(&job->cluster, &job->cluster.tasks[task]);
  unsetenv("LD_PRELOAD");
  unsetenv("SKEW_SECONDS");
}

// Each host has another day; a ps that comes back has yet another one.
static void train_with_skewed_clocks(const char *name, const char *const *flags) {
  static const char *const clocks[HOSTS_MAX] = {"10800", "-86400", "0", "-3600"};
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  SLI_EXPECT_INT(access(SLI_BUILD_DIR "/tests/libskewed_clock.so", R_OK), 0);
  hosts_job_initialize(&job, name, hosts_names, flags);
  for (int i = 0; i < HOSTS_MAX; i++) start_skewed(&job, i, clocks[i]);
  hosts_job_wait_until_training(&job);
  tool_run_t run;
  HOSTS_TOOL(3, &run, "status", "host1:2222");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  train_task_signal(train_ps(&job.cluster, 1), SIGKILL);
  start_skewed(&job, 1, "200000");
  hosts_job_expect_trained(&job);
  SLI_EXPECT(hosts_job_has_checkpoint(&job, HOSTS_CHIEF));
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_clocks_may_differ) {
  train_with_skewed_clocks("clocks", (const char *[]){"--steps=300", "--save_steps=20", "--step_millis=10", NULL});
  train_with_skewed_clocks("clocks-sync",
                           (const char *[]){"--sync", "--steps=200", "--save_steps=20", "--step_millis=10", NULL});
}

HOSTS_TEST_MAIN(test_a_name_may_have_addresses_that_nobody_answers,
                test_a_cut_link_to_a_worker_is_named_and_training_resumes,
                test_a_cut_link_to_a_ps_is_named_and_training_resumes, test_a_cut_link_in_synchronous_training,
                test_connections_whose_other_end_is_gone, test_a_slow_link_to_a_ps_is_no_error,
                test_a_ps_that_moves_to_another_address_is_found, test_clocks_may_differ)
