// Training across four hosts: two ps tasks and two workers, each on a host of its own.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/hosts/hosts.h"

static void train(const char *name, const char *const *names, const char *const *flags) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, name, names, flags);
  hosts_job_start(&job);
  hosts_job_expect_trained(&job);
  SLI_EXPECT(hosts_job_has_checkpoint(&job, HOSTS_CHIEF));
  SLI_EXPECT(!hosts_job_has_checkpoint(&job, 0));
  SLI_EXPECT(!hosts_job_has_checkpoint(&job, 3));
  hosts_job_deinitialize(&job);
}

// Workers 0 and 1 are on host 0, worker 2 is on host 1: the first two reduce in shared memory. The program is that of
// tests/train/all_reduce_test.c.
SLI_TEST(test_workers_of_two_hosts_reduce_inside_each_first) {
  if (!hosts_make(2)) return;
  static const char start[] =
      "export SLI_PEERS_ROLE=worker; run() { " SLI_BUILD_DIR
      "/tests/test_tests_train_all_reduce --at=host0:2222,host0:2223,host1:2222 --wide=100000 --index=$1; }; ";
  char *first = sli_format(
      "%srun 0 > %s/0 2>&1 & run 1 > %s/1 2>&1; code=$?; wait; cat %s/0 %s/1 >&2; "
      "grep -q 'has 3 members on 2 hosts' %s/0 && grep -qF 'sum=%a' %s/0 && grep -qF 'sum=%a' %s/1 && "
      "exit $code",
      start, hosts_disk(), hosts_disk(), hosts_disk(), hosts_disk(), hosts_disk(), 4 * 3 * (1 - 1.0 / 1024),
      hosts_disk(), 4 * 3 * (1 - 1.0 / 1024), hosts_disk());
  char *second = sli_format("%srun 2 > %s/2 2>&1 &", start, hosts_disk());
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "sh", "-c", second), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(0, "timeout", "100", "sh", "-c", first), 0);
  free(first);
  free(second);
}

SLI_TEST(test_hosts_are_apart) {
  if (!hosts_make(HOSTS_MAX)) return;
  SLI_EXPECT_INT(HOSTS_COMMAND(0, "sh", "-c", "test $(hostname) = host0 && touch /dev/shm/mine"), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(1, "sh", "-c", "test $(hostname) = host1 && test ! -e /dev/shm/mine"), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(-1, "sh", "-c", "test ! -e /dev/shm/mine"), 0);
  SLI_EXPECT_INT(HOSTS_COMMAND(0, "sh", "-c", "ip -brief link | grep -c . | grep -qx 2"), 0);  // lo and eth0
}

SLI_TEST(test_four_hosts_train_without_waiting_for_each_other) {
  train("async", hosts_names, (const char *[]){"--steps=120", "--save_steps=30", NULL});
}

SLI_TEST(test_four_hosts_train_in_step) {
  train("sync", hosts_names, (const char *[]){"--sync", "--steps=120", "--save_steps=30", NULL});
}

SLI_TEST(test_four_hosts_train_over_ipv6) {
  train("six", hosts_six_names, (const char *[]){"--steps=60", "--save_steps=30", NULL});
}

SLI_TEST(test_status_and_doctor_see_the_tasks_of_all_hosts) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "look", hosts_names, (const char *[]){"--steps=100000", "--step_millis=10", NULL});
  hosts_job_start(&job);
  hosts_job_wait_until_training(&job);
  tool_run_t run;
  HOSTS_TOOL(3, &run, "status", "host0:2222", "--json");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "host3:2222");
  SLI_EXPECT_CONTAINS(run.out, "\"10.77.0.");
  // Peers that share memory have a process id for an address: only the command itself, with the task of its own host.
  const char *local = strstr(run.out, "\"pid ");
  SLI_EXPECT(local && !strstr(local + 1, "\"pid "));
  tool_run_release(&run);
  HOSTS_TOOL(3, &run, "doctor", "host0:2222");
  if (run.code) sli_test_fail(__FILE__, __LINE__, "doctor ended with %d: %s%s", run.code, run.out, run.err);
  SLI_EXPECT_CONTAINS(run.out, "worker 1");
  tool_run_release(&run);
  hosts_cut(1);
  HOSTS_TOOL(3, &run, "doctor", "--megabytes=0", "--timeout=2", "host0:2222");
  SLI_EXPECT_INT(run.code, 128);
  SLI_EXPECT_CONTAINS(run.out, "host1:2222");
  SLI_EXPECT_CONTAINS(run.out, "FAILED");
  tool_run_release(&run);
  hosts_mend(1);
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_a_ps_that_was_killed_gets_its_variables_from_the_chiefs_disk) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "kill", hosts_names,
                       (const char *[]){"--steps=150", "--save_steps=10", "--step_millis=20", NULL});
  hosts_job_start(&job);
  hosts_job_wait_until_training(&job);
  int64_t deadline = sli_clock_deadline_after_millis(60000);
  while (!hosts_job_has_checkpoint(&job, HOSTS_CHIEF) && sli_clock_now_nanos() < deadline) usleep(10000);
  train_task_t *ps = train_ps(&job.cluster, 0);
  train_task_signal(ps, SIGKILL);
  hosts_start_task(&job.cluster, ps);
  hosts_job_expect_trained(&job);
  SLI_EXPECT(!hosts_job_has_checkpoint(&job, 0));
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_a_late_worker_on_another_host_is_notified) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "late", hosts_names, (const char *[]){"--steps=20", NULL});
  for (int i = 0; i < HOSTS_MAX - 1; i++) hosts_start_task(&job.cluster, &job.cluster.tasks[i]);
  train_task_wait(&job.cluster, train_worker(&job.cluster, 0));
  hosts_start_task(&job.cluster, train_worker(&job.cluster, 1));
  train_cluster_expect_success(&job.cluster);
  hosts_job_deinitialize(&job);
}

// Starts the task with |token| in its environment.
static void start_with_token(hosts_job_t *job, train_task_t *task, const char *token) {
  setenv("SLUICE_TOKEN", token, 1);
  hosts_start_task(&job->cluster, task);
  unsetenv("SLUICE_TOKEN");
}

SLI_TEST(test_only_who_has_the_token_takes_part) {
  if (!hosts_make(HOSTS_MAX)) return;
  static const char ours[] = "0123456789abcdef-ours", theirs[] = "0123456789abcdef-theirs";
  hosts_job_t job;
  hosts_job_initialize(&job, "token", hosts_names, (const char *[]){"--steps=60", NULL});
  train_task_t *stranger = train_worker(&job.cluster, 1);
  for (int i = 0; i < HOSTS_PS; i++) start_with_token(&job, train_ps(&job.cluster, i), ours);
  start_with_token(&job, stranger, theirs);
  train_task_expect(&job.cluster, stranger, "the call has another token than the server");
  train_task_wait(&job.cluster, stranger);
  SLI_EXPECT_INT(stranger->code, 1);  // not worth a retry
  train_task_expect(&job.cluster, train_ps(&job.cluster, 0), "the last ipv4:10.77.0.4:");
  tool_run_t run;
  HOSTS_TOOL(3, &run, "doctor", "--ps_hosts=host0:2222,host1:2222");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "FAILED  the server requires a token and the call has none: set SLUICE_TOKEN");
  tool_run_release(&run);
  start_with_token(&job, stranger, ours);
  start_with_token(&job, train_worker(&job.cluster, 0), ours);
  hosts_job_expect_trained(&job);
  char *said = train_task_output(&job.cluster, train_worker(&job.cluster, 0));
  SLI_EXPECT(!strstr(said, "Everyone who can connect"));
  free(said);
  hosts_job_deinitialize(&job);
}

// What is started from now on speaks TLS with the certificate |name|.
static void use_certificate(const char *name) {
  char *cert = sli_format("%s.pem", name), *key = sli_format("%s-key.pem", name);
  setenv("SLUICE_TLS_CERT", tool_path_in(tool_scratch("keys"), cert), 1);
  setenv("SLUICE_TLS_KEY", tool_path_in(tool_scratch("keys"), key), 1);
  setenv("SLUICE_TLS_CA", tool_path_in(tool_scratch("keys"), "ca.pem"), 1);
  free(cert);
  free(key);
}

static void use_no_certificate(void) {
  unsetenv("SLUICE_TLS_CERT");
  unsetenv("SLUICE_TLS_KEY");
  unsetenv("SLUICE_TLS_CA");
}

SLI_TEST(test_four_hosts_train_with_tls) {
  if (!hosts_make(HOSTS_MAX)) return;
  tool_run_t run;
  TOOL_RUN(&run, "keys", tool_scratch("keys"), "--hosts", "host0,host1,host2,host3");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  hosts_job_t job;
  hosts_job_initialize(&job, "tls", hosts_names, (const char *[]){"--sync", "--steps=100", "--save_steps=30", NULL});
  for (int i = 0; i < HOSTS_PS; i++) {
    use_certificate(hosts_names[i]);
    hosts_start_task(&job.cluster, &job.cluster.tasks[i]);
  }
  train_task_expect(&job.cluster, &job.cluster.tasks[0], "Started server");
  use_certificate("host2");
  HOSTS_TOOL(2, &run, "doctor", "--ps_hosts=host0:2222,host1:2222");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  use_no_certificate();
  HOSTS_TOOL(2, &run, "doctor", "--ps_hosts=host0:2222,host1:2222");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.out, "the server requires TLS");
  tool_run_release(&run);
  for (int i = HOSTS_PS; i < HOSTS_MAX; i++) {
    use_certificate(hosts_names[i]);
    hosts_start_task(&job.cluster, &job.cluster.tasks[i]);
  }
  use_no_certificate();
  hosts_job_expect_trained(&job);
  hosts_job_deinitialize(&job);
}

SLI_TEST(test_a_task_that_anyone_can_reach_says_so) {
  if (!hosts_make(HOSTS_MAX)) return;
  hosts_job_t job;
  hosts_job_initialize(&job, "open", hosts_names, (const char *[]){"--steps=5", NULL});
  hosts_job_start(&job);
  train_task_expect(&job.cluster, train_ps(&job.cluster, 0),
                    "Everyone who can connect to 10.77.0.1, 127.0.0.1, port 2222, controls this task");
  train_cluster_expect_success(&job.cluster);
  hosts_job_deinitialize(&job);
}

HOSTS_TEST_MAIN(test_workers_of_two_hosts_reduce_inside_each_first, test_hosts_are_apart,
                test_four_hosts_train_without_waiting_for_each_other, test_four_hosts_train_in_step,
                test_four_hosts_train_over_ipv6, test_status_and_doctor_see_the_tasks_of_all_hosts,
                test_a_ps_that_was_killed_gets_its_variables_from_the_chiefs_disk,
                test_a_late_worker_on_another_host_is_notified, test_only_who_has_the_token_takes_part,
                test_four_hosts_train_with_tls, test_a_task_that_anyone_can_reach_says_so)
