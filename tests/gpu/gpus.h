// GPUs for tests, which PoCL makes of the CPU.
#ifndef SLI_TESTS_GPU_GPUS_H_
#define SLI_TESTS_GPU_GPUS_H_

// Gives this process, and those that it starts, |count| GPUs. Call it before the first session: they are found once.
// Where OpenCL has no device, says so and ends the process with the exit code of a skipped test.
void gpus_require(int count);
// Runs an example on a ps and two workers, and expects that it learns and that only the workers have GPUs.
void gpus_train(const char *example, const char *option, const char *steps);

#endif  // SLI_TESTS_GPU_GPUS_H_
