// AdaMax, AddSign and PowerSign, which no optimizer of TensorFlow 1.x uses, so that no golden training run covers them.
// Compares two steps of each with the formula in double precision, and with what TensorFlow computed.
#include "core/state/resource.h"
#include "ops/common/testing.h"

enum { COUNT = 4, SLOTS = 3, STEPS = 2 };

static const double start[SLOTS][COUNT] = {{1, -2, 0.5, 0}, {0.1, -0.2, 0.3, 0}, {0.5, 0.01, 0.2, 0}};
static const double gradient[COUNT] = {0.3, 0.4, -0.25, 0};

typedef void (*formula_t)(double *slots, double g);
typedef struct {
  const char *op, *resource_op;
  int slots;
  float scalars[5];
  int scalar_count;
  formula_t formula;
  float tensorflow[COUNT];  // the variable after two steps
} case_t;

static double sign(double x) { return (x > 0) - (x < 0); }

// m <- β1 m + (1-β1) g;  v <- max(β2 v, |g|);  var <- var - lr / (1 - β1^t) m / (v + ε)
static void ada_max(double *s, double g) {
  s[1] = 0.9 * s[1] + 0.1 * g;
  s[2] = fmax(0.99 * s[2], fabs(g));
  s[0] -= 0.1 / (1 - 0.9) * s[1] / (s[2] + 1e-7);
}

// m <- β m + (1-β) g;  var <- var - lr (α + d sign(g) sign(m)) g
static void add_sign(double *s, double g) {
  s[1] = 0.9 * s[1] + 0.1 * g;
  s[0] -= 0.1 * (1 + 0.8 * sign(g) * sign(s[1])) * g;
}

// m <- β m + (1-β) g;  var <- var - lr exp(logbase d sign(g) sign(m)) g
static void power_sign(double *s, double g) {
  s[1] = 0.9 * s[1] + 0.1 * g;
  s[0] -= 0.1 * exp(0.8 * sign(g) * sign(s[1])) * g;
}

static const case_t cases[] = {
    {"ApplyAdaMax",
     "ResourceApplyAdaMax",
     3,
     {0.9f, 0.1f, 0.9f, 0.99f, 1e-7f},
     5,
     ada_max,
     {0.475972056388855f, -1.4350004196166992f, -1.2619988918304443f, 0}},
    {"ApplyAddSign",
     "ResourceApplyAddSign",
     2,
     {0.1f, 1, 0.8f, 0.9f},
     4,
     add_sign,
     {0.8919999599456787f, -2.0159997940063477f, 0.5099999904632568f, 0}},
    {"ApplyPowerSign",
     "ResourceApplyPowerSign",
     2,
     {0.1f, 1, 0.8f, 0.9f},
     4,
     power_sign,
     {0.8664674758911133f, -2.0359463691711426f, 0.5224664211273193f, 0}},
};

static sli_tensor_t *vector(sli_dtype_t dtype, const double *values) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), dtype, (int64_t[]){COUNT}, 1, &tensor));
  for (int i = 0; i < COUNT; i++) {
    if (dtype == SLI_DTYPE_FLOAT) SLI_DATA(float, tensor)[i] = (float)values[i];
    if (dtype == SLI_DTYPE_DOUBLE) SLI_DATA(double, tensor)[i] = values[i];
  }
  return tensor;
}

static double value_at(const sli_tensor_t *tensor, int i) {
  return tensor->dtype == SLI_DTYPE_FLOAT ? (double)SLI_DATA(float, tensor)[i] : SLI_DATA(double, tensor)[i];
}

static sli_tensor_t *scalar(sli_dtype_t dtype, float value) {
  if (dtype == SLI_DTYPE_FLOAT) return sli_tensor_scalar_float(value);
  // The double that the decimal number means, not the float nearest to it.
  char text[32];
  snprintf(text, sizeof(text), "%.7g", (double)value);
  return sli_tensor_scalar(SLI_DTYPE_DOUBLE, &(double){strtod(text, NULL)});
}

static void check(const case_t *c, sli_dtype_t dtype, bool is_resource) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variables[SLOTS] = {NULL};
  sli_tensor_t *handles[SLOTS] = {NULL};
  double wanted[COUNT][SLOTS];
  for (int s = 0; s < c->slots; s++) {
    variables[s] = sli_variable_create(dtype, sli_view("slot"), SLI_SHAPE_UNKNOWN);
    sli_variable_replace(variables[s], vector(dtype, start[s]));
    sli_resource_handle_t *handle =
        sli_resource_handle_create("", sli_view(""), sli_view("slot"), &sli_variable_type, variables[s]);
    SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_RESOURCE, NULL, 0, &handles[s]));
    SLI_DATA(sli_object_t *, handles[s])[0] = &handle->base;
    for (int i = 0; i < COUNT; i++) wanted[i][s] = start[s][i];
  }
  for (int step = 0; step < STEPS; step++) {
    sli_kernel_value_t inputs[SLI_TESTING_MAX];
    int count = 0;
    for (int s = 0; s < c->slots; s++)
      inputs[count++] = is_resource ? TENSOR(sli_tensor_retain(handles[s])) : REFERENCE(variables[s]);
    for (int k = 0; k < c->scalar_count; k++) inputs[count++] = TENSOR(scalar(dtype, c->scalars[k]));
    inputs[count++] = TENSOR(vector(dtype, gradient));
    SLI_EXPECT_OK(sli_testing_device_run(&h, is_resource ? c->resource_op : c->op, inputs, count, NULL, 0));
    for (int i = 0; i < COUNT; i++) c->formula(wanted[i], gradient[i]);
  }
  for (int s = 0; s < c->slots; s++)
    for (int i = 0; i < COUNT; i++) {
      double value = value_at(variables[s]->tensor, i);
      SLI_EXPECT_NEAR(value, wanted[i][s], dtype == SLI_DTYPE_FLOAT ? 2e-6 : 1e-12);
      if (s == 0) SLI_EXPECT_NEAR(value, c->tensorflow[i], 2e-6);
    }
  for (int s = 0; s < c->slots; s++) {
    sli_variable_release(variables[s]);
    sli_tensor_release(handles[s]);
  }
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_rules_equal_their_formulas_and_tensorflow) {
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    for (int is_resource = 0; is_resource < 2; is_resource++) {
      check(&cases[i], SLI_DTYPE_FLOAT, is_resource);
      check(&cases[i], SLI_DTYPE_DOUBLE, is_resource);
    }
}

SLI_TEST_MAIN(test_rules_equal_their_formulas_and_tensorflow)
