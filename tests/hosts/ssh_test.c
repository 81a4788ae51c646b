// `sluice launch --hosts` by a real sshd on each host.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/string.h"
#include "base/test.h"
#include "tests/hosts/hosts.h"
#include "tests/hosts/launching.h"

enum { HOSTS = 3 };
static char ssh[4096];

static bool shell(int host, const char *script, const char *argument) {
  int code = HOSTS_COMMAND(host, "sh", "-c", script, argument);
  if (code) sli_test_fail(__FILE__, __LINE__, "'%s' ended with %d", script, code);
  return code == 0;
}

// Keys and configurations in |directory|: the machine's own are not touched.
static bool configure(const char *directory) {
  char text[4096];
  snprintf(text, sizeof(text),
           "Port 22\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
           "PermitRootLogin yes\nPasswordAuthentication no\n",
           directory, directory);
  tool_write_file(tool_path_in(directory, "sshd_config"), text, strlen(text));
  snprintf(text, sizeof(text),
           "IdentityFile %s/user\nUserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\n", directory);
  tool_write_file(tool_path_in(directory, "ssh_config"), text, strlen(text));
  snprintf(ssh, sizeof(ssh), "--ssh=ssh -F %s/ssh_config", directory);
  return shell(
      -1,
      "cd $0 && rm -f host user && ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f user",
      directory);
}

static bool start_daemons(void) {
  static bool started;
  if (started) return true;
  if (!hosts_make(HOSTS)) return false;
  char directory[1024], config[2048];
  snprintf(directory, sizeof(directory), "%s", tool_scratch("ssh"));
  mkdir(directory, 0700);
  if (!configure(directory)) return false;
  snprintf(config, sizeof(config), "%s/sshd_config", directory);
  for (int i = 0; i < HOSTS; i++) {
    if (!shell(i, "mount -t tmpfs none /run && mkdir -m 755 /run/sshd", "")) return false;
    const char *words[] = {"/usr/sbin/sshd", "-D", "-e", "-f", config, NULL};
    char log[32];
    snprintf(log, sizeof(log), "sshd-%d.log", i);
    if (!launching_daemon(i, log, words)) return false;
  }
  // Until all of them listen.
  started = shell(0,
                  "for h in host0 host1 host2; do n=0; until bash -c \": < /dev/tcp/$h/22\" 2> /dev/null; do "
                  "n=$((n + 1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done; done",
                  "");
  return started;
}

#define WAY \
  (const char *const[]) { ssh, "--hosts=host0:1,host1:1,host2:1", NULL }

SLI_TEST(test_three_hosts_train) {
  if (start_daemons()) launching_trains(WAY);
}
SLI_TEST(test_a_signal_stops_the_tasks_of_all_hosts) {
  if (start_daemons()) launching_stops_all(WAY);
}
SLI_TEST(test_tasks_end_with_the_launcher) {
  if (start_daemons()) launching_leaves_nothing(WAY);
}
SLI_TEST(test_a_cut_link_ends_the_job_on_both_sides) {
  if (start_daemons()) launching_survives_a_cut(WAY);
}

SLI_TEST(test_trials_of_a_sweep_run_on_the_hosts) {
  if (!start_daemons()) return;
  launching_sweeps((const char *const[]){"--hosts=host0,host1,host2", NULL},
                   (const char *const[]){"launch", ssh, "--", NULL});
}

SLI_TEST(test_program_and_data_are_copied) {
  if (!start_daemons()) return;
  const char *disk = hosts_disk();
  shell(0,
        "cd $0 && mkdir -p job/data/deep && echo 'cat data/deep/words; hostname' > job/program && "
        "chmod 755 job/program && head -c 3000000 /dev/urandom > job/data/big && echo hello > job/data/deep/words && "
        "ln -sf words job/data/deep/link",
        disk);
  char directory[4096], program[4096], data[4096];
  snprintf(directory, sizeof(directory), "--directory=%s/job", disk);
  snprintf(program, sizeof(program), "--copy=%s/job/program", disk);
  snprintf(data, sizeof(data), "--copy=%s/job/data", disk);
  tool_run_t run;
  HOSTS_TOOL(0, &run, "launch", ssh, "--hosts=host0:1,host1:1,host2:1", directory, program, data, "--", "sh",
             "./program");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "[worker 0@host0] hello\n");
  SLI_EXPECT_CONTAINS(run.out, "[worker 2@host2] host2\n");
  if (run.code) printf("%s%s", run.out, run.err);
  tool_run_release(&run);
  // The copies are whole, and nothing else was left.
  char *sum = NULL;
  for (int i = 0; i < HOSTS; i++) {
    const char *file = tool_scratch("sum");
    shell(i, "cd ${0%/*}/disk/job && find . -type f -o -type l | sort | xargs md5sum > ${0%/*}/sum", file);
    char *text = tool_read_text(file);
    if (sum) SLI_EXPECT_TEXT(text, sum);
    SLI_EXPECT(!strstr(text, "sluice-copy"));
    free(sum);
    sum = text;
  }
  free(sum);
  HOSTS_TOOL(0, &run, "launch", ssh, "--hosts=host1,host2", "--copy=/no/such/file", "--", "true");
  SLI_EXPECT_INT(run.code, 1);
  SLI_EXPECT_CONTAINS(run.err, "cannot copy '/no/such/file': No such file or directory");
  tool_run_release(&run);
}

SLI_TEST(test_a_host_that_cannot_be_reached_is_named) {
  if (!start_daemons()) return;
  tool_run_t run;
  hosts_cut(2);
  HOSTS_TOOL(0, &run, "launch", ssh, "--hosts=host0,host2", "--workers=2", "--connect-timeout=4", "--", "sleep", "100");
  hosts_mend(2);
  SLI_EXPECT_INT(run.code, 255);
  SLI_EXPECT_CONTAINS(run.err, "cannot reach host2 by ssh: ");
  tool_run_release(&run);
  HOSTS_TOOL(0, &run, "launch", ssh, "--hosts=nobody@host1", "--", "true");
  SLI_EXPECT_INT(run.code, 255);
  SLI_EXPECT_CONTAINS(run.err, "; ssh must reach it without a password");
  tool_run_release(&run);
}

static int run_tests(int argc, char **argv) {
  static void (*const tests[])(void) = {test_three_hosts_train,
                                        test_a_signal_stops_the_tasks_of_all_hosts,
                                        test_tasks_end_with_the_launcher,
                                        test_a_cut_link_ends_the_job_on_both_sides,
                                        test_program_and_data_are_copied,
                                        test_a_host_that_cannot_be_reached_is_named,
                                        test_trials_of_a_sweep_run_on_the_hosts};
  return sli_test_main(argc, argv,
                       "test_three_hosts_train, test_a_signal_stops_the_tasks_of_all_hosts, "
                       "test_tasks_end_with_the_launcher, test_a_cut_link_ends_the_job_on_both_sides, "
                       "test_program_and_data_are_copied, test_a_host_that_cannot_be_reached_is_named, "
                       "test_trials_of_a_sweep_run_on_the_hosts",
                       tests, sizeof(tests) / sizeof(tests[0]));
}

int main(int argc, char **argv) {
  if (train_is_task()) return train_task_main(argc, argv);
  if (access("/usr/sbin/sshd", X_OK) != 0 || geteuid() != 0) {
    printf("SKIPPED: needs root and the package openssh-server (make hosts installs it)\n");
    return HOSTS_SKIPPED;
  }
  return hosts_main(run_tests, argc, argv);
}
