// `sluice launch --print`. Whether others accept the manifests is checked by tests/interop/checks/manifests.
#include "base/string.h"
#include "base/test.h"
#include "tests/support/tool.h"

#define PRINT(run, format, ...) TOOL_RUN(run, "launch", "--print", format, __VA_ARGS__)

static int count_text(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

SLI_TEST(test_kubernetes) {
  tool_run_t run;
  PRINT(&run, "kubernetes", "--name=mnist", "--image=registry/mnist:1", "--ps=2", "--workers=3", "--serve-ps",
        "--cpus=2", "--memory=4Gi", "--max-restarts=5", "--classic-flags", "--", "./trainer", "--note=$(HOME) \"x\"");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_INT(count_text(run.out, "kind: Job\n"), 2);
  SLI_EXPECT_INT(count_text(run.out, "kind: Service\n"), 1);
  SLI_EXPECT_CONTAINS(run.out, "  completions: 3\n  parallelism: 3\n  backoffLimit: 15\n");
  SLI_EXPECT_CONTAINS(run.out, "values: [1, 2, 3,");
  SLI_EXPECT_CONTAINS(run.out, ", 126, 127]\n");
  SLI_EXPECT_CONTAINS(run.out, "\\\"mnist-worker-2.mnist:2222\\\"");
  SLI_EXPECT_CONTAINS(run.out, "\\\"type\\\": \\\"worker\\\", \\\"index\\\": $(TASK_INDEX)}}\"\n");
  SLI_EXPECT_CONTAINS(run.out, "- \"--note=$$(HOME) \\\"x\\\"\"\n");
  SLI_EXPECT_CONTAINS(run.out, "- \"--job_name=worker\"\n        - \"--task_index=$(TASK_INDEX)\"\n");
  SLI_EXPECT_CONTAINS(run.out, "- \"sluice\"\n        - \"serve\"\n");
  SLI_EXPECT_INT(count_text(run.out, "livenessProbe:\n          grpc:\n            port: 2222\n"), 2);
  tool_run_release(&run);
}

SLI_TEST(test_tfjob) {
  tool_run_t run;
  PRINT(&run, "tfjob", "--ps=1", "--workers=2", "--chief", "--evaluator", "--", "./trainer");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "    Worker:\n      replicas: 2\n      restartPolicy: ExitCode\n");
  SLI_EXPECT_INT(count_text(run.out, "- name: tensorflow\n"), 4);
  SLI_EXPECT_INT(count_text(run.out, "name: tfjob-port\n"), 3);
  SLI_EXPECT(!strstr(run.out, "TF_CONFIG"));
  tool_run_release(&run);
}

SLI_TEST(test_compose) {
  tool_run_t run;
  PRINT(&run, "compose", "--ps=1", "--workers=2", "--port=3000", "--", "./trainer", "cost=5$");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "  worker-1:\n    image: \"sluice\"\n");
  SLI_EXPECT_CONTAINS(run.out, "\\\"ps-0:3000\\\"");
  SLI_EXPECT_CONTAINS(run.out, "- \"cost=5$$\"\n");
  SLI_EXPECT_CONTAINS(run.out, "      RANK: \"1\"\n");
  tool_run_release(&run);
}

SLI_TEST(test_systemd) {
  tool_run_t run;
  PRINT(&run, "systemd", "--hosts=h1,me@h2", "--ps=1", "--workers=2", "--directory=/srv/job", "--cpus=0.5", "--",
        "/srv/t", "50%", "$x");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "# /etc/systemd/system/train-worker-1.service on h2\n");
  SLI_EXPECT_CONTAINS(run.out, "ExecStart=\"/srv/t\" \"50%%\" \"$$x\"\n");
  SLI_EXPECT_CONTAINS(run.out, "\\\"worker\\\": [\\\"h1:2223\\\", \\\"h2:2222\\\"]");
  SLI_EXPECT_CONTAINS(run.out, "RestartPreventExitStatus=1 2 3 ");
  SLI_EXPECT_CONTAINS(run.out, "MemoryMax=1G\nCPUQuota=50%\n");
  tool_run_release(&run);
}

static void expect_refused(const char *option, const char *text) {
  tool_run_t run;
  PRINT(&run, "kubernetes", option, "--", "./trainer");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_TEXT(run.out, "");
  SLI_EXPECT_CONTAINS(run.err, text);
  tool_run_release(&run);
}

SLI_TEST(test_bad_options_are_refused) {
  expect_refused("--name=My_Job", "--name must have 1 to 40 lower-case letters");
  expect_refused("--cpus=lots", "--cpus must be a positive number, got 'lots'");
  expect_refused("--memory=4GB", "--memory must be a number with Ki, Mi, Gi or Ti, such as 4Gi, got '4GB'");
  expect_refused("--print=nomad", "nomad");
}

SLI_TEST_MAIN(test_kubernetes, test_tfjob, test_compose, test_systemd, test_bad_options_are_refused)
