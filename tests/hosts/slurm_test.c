// `sluice launch` in an allocation of a real Slurm: a controller on host 0, and a daemon of a node on each host.
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/string.h"
#include "base/test.h"
#include "tests/hosts/hosts.h"
#include "tests/hosts/launching.h"

enum { HOSTS = 3 };

static bool shell(int host, const char *script, const char *argument) {
  int code = HOSTS_COMMAND(host, "sh", "-c", script, argument);
  if (code) sli_test_fail(__FILE__, __LINE__, "'%s' ended with %d", script, code);
  return code == 0;
}

static void write_configuration(const char *directory) {
  char text[4096];
  snprintf(text, sizeof(text),
           "ClusterName=hosts\nSlurmctldHost=host0\nAuthType=auth/munge\nCryptoType=crypto/munge\nSlurmUser=root\n"
           "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
           "SlurmdParameters=config_overrides\nReturnToService=2\nSlurmctldPidFile=/run/slurmctld.pid\nSlurmdPidFile=/"
           "run/slurmd.pid\n"
           "StateSaveLocation=/run/slurm-state\nSlurmdSpoolDir=/run/slurm-spool\nMpiDefault=none\nKillWait=5\n"
           "NodeName=host[0-2] CPUs=4 RealMemory=100 State=UNKNOWN\n"
           "PartitionName=all Nodes=host[0-2] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:8\n");
  tool_write_file(tool_path_in(directory, "slurm.conf"), text, strlen(text));
}

// The munge daemon of a host, as user munge; all have one key.
static bool start_munge(int host, const char *directory) {
  static const char prepare[] =
      "mount -t tmpfs none /run && mkdir -m 755 /run/munge /run/slurm-state /run/slurm-spool && "
      "install -m 400 -o munge \"$0\"/munge.key /run/munge.key && chown munge /run/munge";
  if (!shell(host, prepare, directory)) return false;
  char log[32];
  snprintf(log, sizeof(log), "munged-%d.log", host);
  const char *words[] = {"setpriv",
                         "--reuid=munge",
                         "--regid=munge",
                         "--clear-groups",
                         "/usr/sbin/munged",
                         "-F",
                         "--key-file=/run/munge.key",
                         "--log-file=/run/munge/log",
                         "--pid-file=/run/munge/pid",
                         "--seed-file=/run/munge/seed",
                         "--socket=/run/munge/munge.socket.2",
                         NULL};
  return launching_daemon(host, log, words) != 0;
}

static bool start_daemons(void) {
  static bool tried, started;
  if (tried) return started;
  tried = true;
  if (!hosts_make(HOSTS)) return false;
  char directory[1024], config[2048];
  snprintf(directory, sizeof(directory), "%s", tool_scratch("slurm"));
  mkdir(directory, 0755);
  write_configuration(directory);
  snprintf(config, sizeof(config), "%s/slurm.conf", directory);
  setenv("SLURM_CONF", config, 1);
  if (!shell(-1, "head -c 128 /dev/urandom > \"$0\"/munge.key", directory)) return false;
  for (int i = 0; i < HOSTS; i++)
    if (!start_munge(i, directory)) return false;
  for (int i = 0; i < HOSTS; i++)
    if (!shell(i, "n=0; until munge -n > /dev/null 2>&1; do n=$((n + 1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done",
               ""))
      return false;
  if (!launching_daemon(0, "slurmctld.log", (const char *[]){"/usr/sbin/slurmctld", "-D", NULL})) return false;
  for (int i = 0; i < HOSTS; i++) {
    char log[32], name[32];
    snprintf(log, sizeof(log), "slurmd-%d.log", i);
    snprintf(name, sizeof(name), "host%d", i);
    if (!launching_daemon(i, log, (const char *[]){"/usr/sbin/slurmd", "-D", "-N", name, NULL})) return false;
  }
  started = shell(0,
                  "n=0; until [ \"$(sinfo -h -t idle -o %D 2> /dev/null)\" = 3 ]; do n=$((n + 1)); "
                  "[ $n -lt 900 ] || { sinfo; cat ${0}ctld.log ${0}d-1.log; exit 1; }; sleep 0.1; done",
                  directory);
  return started;
}

// Runs the launcher as the command of salloc.
static void use_salloc(void) {
  char tool[4096], path[4096];
  snprintf(path, sizeof(path), "%s", tool_scratch("in_allocation"));
  snprintf(tool, sizeof(tool), "#!/bin/sh\nexec salloc --quiet --nodes=3 --ntasks=3 --ntasks-per-node=1 '%s' \"$@\"\n",
           tool_path());
  tool_write_file(path, tool, strlen(tool));
  chmod(path, 0755);
  setenv("SLUICE_TOOL", path, 1);
}

// Makes an allocation that lasts, and enters it as a script of sbatch would be: by what salloc sets for its command.
// Signals then reach the launcher, not salloc.
static bool enter_allocation(void) {
  const char *file = tool_scratch("allocation");
  unsetenv("SLUICE_TOOL");
  if (!shell(0,
             "id=$(salloc --no-shell --nodes=3 --ntasks=3 --ntasks-per-node=1 2>&1 | sed -n 's/.*allocation "
             "\\([0-9]*\\)$/\\1/p' "
             "| tail -n 1); echo $id > $0; [ -n \"$id\" ]",
             file))
    return false;
  char *id = tool_read_text(file);
  id[strcspn(id, "\n")] = '\0';
  setenv("SLURM_JOB_ID", id, 1);
  setenv("SLURM_JOB_NODELIST", "host[0-2]", 1);
  setenv("SLURM_NTASKS", "3", 1);
  setenv("SLURM_TASKS_PER_NODE", "1(x3)", 1);
  setenv("SLURM_JOB_CPUS_PER_NODE", "1(x3)", 1);
  free(id);
  return true;
}

static void leave_allocation(void) {
  shell(0, "scancel $0", getenv("SLURM_JOB_ID"));
  const char *const names[] = {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE",
                               "SLURM_JOB_CPUS_PER_NODE"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) unsetenv(names[i]);
}

static const char *const way[] = {NULL};

SLI_TEST(test_an_allocation_trains) {
  if (!start_daemons()) return;
  use_salloc();
  launching_trains(way);
}

static void in_allocation(void (*test)(const char *const *way)) {
  if (!start_daemons() || !enter_allocation()) return;
  test(way);
  leave_allocation();
}

SLI_TEST(test_a_signal_stops_the_tasks_of_all_nodes) { in_allocation(launching_stops_all); }
SLI_TEST(test_tasks_end_with_the_launcher) { in_allocation(launching_leaves_nothing); }
SLI_TEST(test_a_cut_link_ends_the_job_on_both_sides) { in_allocation(launching_survives_a_cut); }

static void sweep_by_itself(const char *const *unused) { launching_sweeps(way, way); }
SLI_TEST(test_trials_of_a_sweep_run_on_the_nodes) { in_allocation(sweep_by_itself); }

static int run_tests(int argc, char **argv) {
  static void (*const tests[])(void) = {test_an_allocation_trains, test_a_signal_stops_the_tasks_of_all_nodes,
                                        test_tasks_end_with_the_launcher, test_a_cut_link_ends_the_job_on_both_sides,
                                        test_trials_of_a_sweep_run_on_the_nodes};
  return sli_test_main(argc, argv,
                       "test_an_allocation_trains, test_a_signal_stops_the_tasks_of_all_nodes, "
                       "test_tasks_end_with_the_launcher, test_a_cut_link_ends_the_job_on_both_sides, "
                       "test_trials_of_a_sweep_run_on_the_nodes",
                       tests, sizeof(tests) / sizeof(tests[0]));
}

int main(int argc, char **argv) {
  if (train_is_task()) return train_task_main(argc, argv);
  if (access("/usr/sbin/slurmctld", X_OK) != 0 || !getpwnam("munge") || geteuid() != 0) {
    printf("SKIPPED: needs root and the packages slurm-wlm and munge (make hosts installs them)\n");
    return HOSTS_SKIPPED;
  }
  return hosts_main(run_tests, argc, argv);
}
