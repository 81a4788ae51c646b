#include "ops/embedding/updater.h"

#include <math.h>

#include "base/array.h"
#include "math/half.h"
#include "ops/embedding/updater_library.h"

// A hyper-parameter of a rule, with TensorFlow's default; NAN: it must be given.
typedef struct {
  const char *name;
  size_t offset;  // in sli_rule_scalars_t
  double value;
} hyper_t;

enum { MAX_HYPERS = 6 };

typedef struct {
  const char *name;
  int slot_count;
  int accumulator;  // the slot that starts with initial_accumulator_value, 0.1 by default; -1: none
  int ones;         // the slot that starts with 1; -1: none
  hyper_t hypers[MAX_HYPERS];
} rule_t;

#define H(name, field, value) \
  { name, offsetof(sli_rule_scalars_t, field), value }
#define RATE H("learning_rate", learning_rate, NAN)
#define ADAM_HYPERS RATE, H("beta1", beta1, 0.9), H("beta2", beta2, 0.999), H("epsilon", epsilon, 1e-8)
#define L1_L2 H("l1_regularization_strength", l1, 0), H("l2_regularization_strength", l2, 0)
#define RMS_HYPERS RATE, H("decay", rho, 0.9), H("momentum", momentum, 0), H("epsilon", epsilon, 1e-10)

static const rule_t rules[] = {
    {"GradientDescent", 0, -1, -1, {H("learning_rate", alpha, NAN)}},
    {"Momentum", 1, -1, -1, {RATE, H("momentum", momentum, NAN)}},
    {"KerasMomentum", 1, -1, -1, {RATE, H("momentum", momentum, NAN)}},
    {"Adagrad", 1, 0, -1, {RATE}},
    {"AdagradV2", 1, 0, -1, {RATE, H("epsilon", epsilon, 1e-7)}},
    {"Adadelta", 2, -1, -1, {RATE, H("rho", rho, 0.95), H("epsilon", epsilon, 1e-8)}},
    {"Adam", 2, -1, -1, {ADAM_HYPERS}},
    {"AdamWithAmsgrad", 3, -1, -1, {ADAM_HYPERS}},
    {"AdaMax", 2, -1, -1, {ADAM_HYPERS}},
    {"RMSProp", 2, -1, 0, {RMS_HYPERS}},
    {"CenteredRMSProp", 3, -1, 1, {RMS_HYPERS}},
    {"AddSign", 1, -1, -1, {RATE, H("alpha", alpha, 1), H("beta", beta, 0.9), H("sign_decay", sign_decay, 1)}},
    {"PowerSign", 1, -1, -1, {RATE, H("logbase", log_base, 1), H("beta", beta, 0.9), H("sign_decay", sign_decay, 1)}},
    {"Ftrl",
     2,
     0,
     -1,
     {RATE, H("learning_rate_power", learning_rate_power, -0.5), L1_L2,
      H("l2_shrinkage_regularization_strength", l2_shrinkage, 0)}},
    {"ProximalAdagrad", 1, 0, -1, {RATE, L1_L2}},
    {"ProximalGradientDescent", 0, -1, -1, {H("learning_rate", alpha, NAN), L1_L2}},
    {"AdagradDA", 2, 1, -1, {RATE, L1_L2}},
};

static const rule_t *find_rule(sli_view_t name) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rules); i++)
    if (sli_view_is(name, rules[i].name)) return &rules[i];
  return NULL;
}

static sli_status_t *unknown_rule(sli_view_t name) {
  sli_string_t names = {0};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rules); i++) sli_string_append_format(&names, ", %s", rules[i].name);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "The updater must be one of assign, sum%s, got \"%.*s\".",
                      sli_string_text(&names), (int)(name.size < 100 ? name.size : 100), name.data);
  sli_string_deinitialize(&names);
  return status;
}

static sli_status_t *unknown_hyper(const rule_t *rule, sli_view_t name) {
  sli_string_t names = {0};
  for (int i = 0; i < MAX_HYPERS && rule->hypers[i].name; i++)
    sli_string_append_format(&names, "%s%s", i ? ", " : "", rule->hypers[i].name);
  if (rule->accumulator >= 0) sli_string_append_text(&names, ", initial_accumulator_value");
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s has the parameters %s, got \"%.*s\".", rule->name,
                                         sli_string_text(&names), (int)(name.size < 100 ? name.size : 100), name.data);
  sli_string_deinitialize(&names);
  return status;
}

// Strengths and epsilons are not negative, decays are below 1: other values make every weight NaN.
static sli_status_t *check_value(const rule_t *rule, const char *name, double value) {
  bool is_power = strcmp(name, "learning_rate_power") == 0;
  bool is_decay = !strcmp(name, "beta1") || !strcmp(name, "beta2") || !strcmp(name, "decay") || !strcmp(name, "rho") ||
                  !strcmp(name, "beta");
  bool needs_rate = !strcmp(name, "learning_rate") && strcmp(rule->name, "Ftrl") == 0;
  if (isfinite(value) && (is_power ? value <= 0 : value >= 0) && !(is_decay && value >= 1) &&
      !(needs_rate && value == 0))
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s of %s must be a finite number that is %s%s, got %g.", name,
                         rule->name,
                         is_power     ? "at most 0"
                         : needs_rate ? "above 0"
                                      : "at least 0",
                         is_decay ? " and below 1" : "", value);
}

static sli_status_t *read_hyper(const rule_t *rule, sli_view_t word, sli_updater_t *updater) {
  sli_view_t name, text;
  double value;
  if (!sli_view_split(word, '=', &name, &text) || !sli_view_to_double(text, &value))
    return sli_status_make(SLI_INVALID_ARGUMENT, "A parameter of %s must have the form name=number, got \"%.*s\".",
                           rule->name, (int)(word.size < 100 ? word.size : 100), word.data);
  if (rule->accumulator >= 0 && sli_view_is(name, "initial_accumulator_value")) {
    updater->initial[rule->accumulator] = value;
    return check_value(rule, "initial_accumulator_value", value);
  }
  for (int i = 0; i < MAX_HYPERS && rule->hypers[i].name; i++) {
    if (!sli_view_is(name, rule->hypers[i].name)) continue;
    *(double *)((char *)&updater->scalars + rule->hypers[i].offset) = value;
    return check_value(rule, rule->hypers[i].name, value);
  }
  return unknown_hyper(rule, name);
}

static sli_view_t next_word(sli_view_t *rest) {
  *rest = sli_view_trim(*rest);
  size_t size = 0;
  while (size < rest->size && rest->data[size] != ' ') size++;
  sli_view_t word = sli_view_of(rest->data, size);
  *rest = sli_view_of(rest->data + size, rest->size - size);
  return word;
}

const sli_updater_t sli_updater_assign = {.name = "assign", .operation = SLI_ACCUMULATE_ASSIGN};
const sli_updater_t sli_updater_sum = {.name = "sum", .operation = SLI_ACCUMULATE_ADD};

sli_status_t *sli_updater_parse(sli_view_t text, sli_dtype_t dtype, sli_updater_t *out_updater) {
  *out_updater = sli_updater_assign;
  sli_view_t rest = text, name = next_word(&rest);
  bool is_sum = sli_view_is(name, "sum");
  if (is_sum) *out_updater = sli_updater_sum;
  if (is_sum || sli_view_is(name, "assign")) {
    if (!sli_view_trim(rest).size) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s has no parameters, got \"%.*s\".", out_updater->name,
                           (int)(rest.size < 100 ? rest.size : 100), rest.data);
  }
  if (sli_view_starts_with(name, "library:")) {
    sli_view_t library = sli_view_of(name.data + strlen("library:"), name.size - strlen("library:"));
    return sli_updater_library_open(library, sli_view_trim(rest), dtype, out_updater);
  }
  const rule_t *rule = find_rule(name);
  if (!rule) return unknown_rule(name);
  *out_updater = (sli_updater_t){.rule = sli_rule_find(rule->name, dtype),
                                 .name = rule->name,
                                 .slot_count = rule->slot_count,
                                 .scalars = {.update_slots = true}};
  if (!out_updater->rule)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s updates floating-point values, got values of type %s.", rule->name,
                           sli_dtype_name(dtype));
  if (rule->accumulator >= 0) out_updater->initial[rule->accumulator] = 0.1;
  if (rule->ones >= 0) out_updater->initial[rule->ones] = 1;
  for (int i = 0; i < MAX_HYPERS && rule->hypers[i].name; i++)
    *(double *)((char *)&out_updater->scalars + rule->hypers[i].offset) = rule->hypers[i].value;
  for (sli_view_t word; (word = next_word(&rest)).size;) SLI_RETURN_IF_ERROR(read_hyper(rule, word, out_updater));
  for (int i = 0; i < MAX_HYPERS && rule->hypers[i].name; i++)
    if (isnan(*(double *)((char *)&out_updater->scalars + rule->hypers[i].offset)))
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s needs %s=number.", rule->name, rule->hypers[i].name);
  return NULL;
}

void sli_updater_deinitialize(sli_updater_t *updater) {
  if (updater->user && updater->user->destroy && updater->state) updater->user->destroy(updater->state);
}

void sli_updater_fill_slots(const sli_updater_t *updater, sli_dtype_t dtype, void *slots, int64_t count) {
  for (int i = 0; i < updater->slot_count; i++) {
    char *slot = (char *)slots + (size_t)i * (size_t)count * sli_dtype_size(dtype);
    double value = updater->initial[i];
    for (int64_t j = 0; j < count; j++) switch (dtype) {
        case SLI_DTYPE_FLOAT: ((float *)slot)[j] = (float)value; break;
        case SLI_DTYPE_DOUBLE: ((double *)slot)[j] = value; break;
        case SLI_DTYPE_HALF: ((sli_half_t *)slot)[j] = sli_half_from_float((float)value); break;
        case SLI_DTYPE_BFLOAT16: ((sli_bfloat16_t *)slot)[j] = sli_bfloat16_from_float((float)value); break;
        case SLI_DTYPE_COMPLEX64: ((float _Complex *)slot)[j] = (float)value; break;
        default: ((double _Complex *)slot)[j] = value; break;
      }
  }
}

void sli_updater_apply(const sli_updater_t *updater, sli_dtype_t dtype, void *value, void *slots, int64_t stride,
                       const void *from, int64_t first, int64_t count, uint64_t step) {
  size_t size = sli_dtype_size(dtype), offset = (size_t)first * size;
  if (updater->user) {
    float *arrays[SLI_UPDATER_MAX_SLOTS];
    for (int i = 0; i < updater->slot_count; i++) arrays[i] = (float *)slots + i * stride + first;
    updater->user->apply(updater->state, (float *)value + first, arrays, (const float *)from + first, count, step);
    return;
  }
  if (!updater->rule) {
    sli_accumulate(updater->operation, dtype, (char *)value + offset, (const char *)from + offset, 1, count);
    return;
  }
  sli_rule_scalars_t scalars = updater->scalars;
  scalars.beta1_power = pow(scalars.beta1, (double)step);
  scalars.beta2_power = pow(scalars.beta2, (double)step);
  scalars.global_step = (double)step;
  void *arrays[1 + SLI_UPDATER_MAX_SLOTS] = {(char *)value + offset};
  for (int i = 0; i < updater->slot_count; i++)
    arrays[1 + i] = (char *)slots + (size_t)i * (size_t)stride * size + offset;
  updater->rule(arrays, (const char *)from + offset, &scalars, count);
}
