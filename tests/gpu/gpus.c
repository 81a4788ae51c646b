#include "tests/gpu/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/test.h"
#include "device/opencl/opencl.h"
#include "tests/support/mnist.h"
#include "tests/support/tool.h"

enum { SKIPPED = 77 };

void gpus_require(int count) {
  char text[16];
  snprintf(text, sizeof(text), "%d", count);
  setenv("SLUICE_OPENCL_CPU", text, true);
  sli_device_t **devices;
  size_t found;
  SLI_EXPECT_OK(sli_opencl_create_devices("/job:localhost/replica:0/task:0", &(sli_opencl_options_t){.count = -1}, NULL,
                                          NULL, &devices, &found));
  for (size_t i = 0; i < found; i++) sli_device_destroy(devices[i]);
  free(devices);
  if (found >= (size_t)count) return;
  fprintf(stderr, "skipped: OpenCL has no device here (Debian: pocl-opencl-icd)\n");
  exit(SKIPPED);
}

void gpus_train(const char *example, const char *option, const char *steps) {
  gpus_require(1);
  mnist_make(tool_scratch("data"));
  char *program = sli_format("%s/examples/%s", SLI_BUILD_DIR, example);
  char *data = sli_format("--data_dir=%s", tool_scratch("data"));
  char *logs = sli_format("--log_dir=%s", tool_scratch(option));
  tool_run_t run;
  TOOL_RUN(&run, "launch", "--ps", "1", "--workers", "2", "--", program, data, logs, option, steps, "--batch_size=20");
  if (run.code) sli_test_fail(__FILE__, __LINE__, "exit %d:\n%s%s", run.code, run.out, run.err);
  char *all = sli_format("%s%s", run.out, run.err);
  SLI_EXPECT_CONTAINS(all, "/job:worker/replica:0/task:0/device:GPU:0 has ");
  SLI_EXPECT_CONTAINS(all, "/job:worker/replica:0/task:1/device:GPU:0 has ");
  SLI_EXPECT(!strstr(all, "/job:ps/replica:0/task:0/device:GPU:0"));
  const char *accuracy = strstr(all, "accuracy: ");
  SLI_REQUIRE(accuracy != NULL);
  SLI_EXPECT(strtod(accuracy + strlen("accuracy: "), NULL) > 0.7);
  free(all);
  free(program);
  free(data);
  free(logs);
  tool_run_release(&run);
}
