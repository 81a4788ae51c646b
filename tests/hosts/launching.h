// What `sluice launch` must do on other hosts, whichever way it reaches them. The launcher is on host 0.
#ifndef SLI_TESTS_HOSTS_LAUNCHING_H_
#define SLI_TESTS_HOSTS_LAUNCHING_H_

// |way|: the words that follow "sluice launch" and say how the hosts are reached; ends with NULL. The first three hosts
// take one task each.

// A ps and two workers train; the checkpoint is on the disk of the first worker.
void launching_trains(const char *const *way);
// SIGTERM stops all tasks and what they left behind, in order.
void launching_stops_all(const char *const *way);
// They also end if the launcher is killed.
void launching_leaves_nothing(const char *const *way);
// A link that is cut: the launcher names the host, and the tasks there end though nobody can tell them to.
void launching_survives_a_cut(const char *const *way);

// Three trials of `sluice sweep OPTIONS -- COMMAND sh -c …` run on three hosts.
void launching_sweeps(const char *const *options, const char *const *command);

// Starts |words| (ends with NULL) on |host| as a daemon in the foreground; it ends with the test. Its output is in the
// scratch file |log|. Returns its pid, or 0 and fails the test.
int launching_daemon(int host, const char *log, const char *const *words);

#endif  // SLI_TESTS_HOSTS_LAUNCHING_H_
