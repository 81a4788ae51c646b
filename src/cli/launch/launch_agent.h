// The agent: runs the tasks of one host for a launcher on another one, which it reaches by its standard input and
// output. When that connection ends, or the launcher is silent for too long, it kills all processes that the tasks
// started, and ends.
#ifndef SLI_CLI_LAUNCH_LAUNCH_AGENT_H_
#define SLI_CLI_LAUNCH_LAUNCH_AGENT_H_

// Blocks until the launcher says so, or is lost. |silence|: seconds without a word from the launcher. Returns the exit
// code. No process that a task started is left then.
int sli_launch_agent_run(double silence);

#endif  // SLI_CLI_LAUNCH_LAUNCH_AGENT_H_
