#include "cli/sweep/sweep_hparams.h"

#include <stdlib.h>

#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "proto/hparams.fields.h"
#include "proto/hparams.pb-c.h"
#include "proto/summary.fields.h"
#include "proto/tensor.fields.h"
#include "proto/types.pb-c.h"
#include "proto/wire.h"

// In names of event files, after which TensorBoard reads them: a program's own files begin earlier.
#define SUFFIX ".sweep"

static sli_view_t view_of(const sli_string_t *string) { return sli_view_of(string->data, string->size); }

// --- Messages ---

// A value of a parameter: a number if all values of the parameter are.
static void write_value(sli_string_t *out, uint32_t field, const char *text, bool is_number) {
  size_t value = sli_wire_open(out, field);
  double number = 0;
  if (is_number && sli_view_to_double(sli_view(text), &number))
    sli_wire_write_double(out, SLI_FIELD_H_PARAM_VALUE_NUMBER_VALUE, number);
  else
    sli_wire_write_text(out, SLI_FIELD_H_PARAM_VALUE_STRING_VALUE, text);
  sli_wire_close(out, value);
}

static void write_parameter(sli_string_t *out, const sli_sweep_parameter_t *parameter) {
  bool is_number = sli_sweep_parameter_is_number(parameter);
  size_t info = sli_wire_open(out, SLI_FIELD_H_PARAM_EXPERIMENT_HPARAM_INFOS);
  sli_wire_write_text(out, SLI_FIELD_H_PARAM_INFO_NAME, parameter->name);
  sli_wire_write_int(out, SLI_FIELD_H_PARAM_INFO_TYPE,
                     is_number ? SLUICE__HPARAM_TYPE__HPARAM_FLOAT64 : SLUICE__HPARAM_TYPE__HPARAM_STRING);
  if (parameter->kind == SLI_SWEEP_LIST) {
    size_t list = sli_wire_open(out, SLI_FIELD_H_PARAM_INFO_DOMAIN_DISCRETE);
    for (size_t i = 0; i < parameter->values.count; i++)
      write_value(out, SLI_FIELD_H_PARAM_VALUES_VALUES, parameter->values.items[i], is_number);
    sli_wire_close(out, list);
  } else {
    size_t interval = sli_wire_open(out, SLI_FIELD_H_PARAM_INFO_DOMAIN_INTERVAL);
    sli_wire_write_double(out, SLI_FIELD_H_PARAM_INTERVAL_MIN_VALUE, parameter->low);
    sli_wire_write_double(out, SLI_FIELD_H_PARAM_INTERVAL_MAX_VALUE, parameter->high);
    sli_wire_close(out, interval);
  }
  sli_wire_close(out, info);
}

static void write_experiment(sli_string_t *out, const sli_sweep_t *sweep) {
  size_t experiment = sli_wire_open(out, SLI_FIELD_H_PARAM_PLUGIN_DATA_EXPERIMENT);
  sli_wire_write_double(out, SLI_FIELD_H_PARAM_EXPERIMENT_TIME_CREATED_SECS, sli_event_proto_now());
  for (size_t i = 0; i < sweep->space.parameters.count; i++) write_parameter(out, &sweep->space.parameters.items[i]);
  size_t metric = sli_wire_open(out, SLI_FIELD_H_PARAM_EXPERIMENT_METRIC_INFOS);
  size_t name = sli_wire_open(out, SLI_FIELD_H_PARAM_METRIC_INFO_NAME);
  char *tag = sli_format(SLI_SWEEP_HPARAMS_PREFIX "%s", sweep->metric);
  sli_wire_write_text(out, SLI_FIELD_H_PARAM_METRIC_NAME_TAG, tag);
  free(tag);
  sli_wire_close(out, name);
  sli_wire_write_text(out, SLI_FIELD_H_PARAM_METRIC_INFO_DISPLAY_NAME, sweep->metric);
  sli_wire_close(out, metric);
  sli_wire_close(out, experiment);
}

static void write_session_start(sli_string_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                double started) {
  size_t start = sli_wire_open(out, SLI_FIELD_H_PARAM_PLUGIN_DATA_SESSION_START_INFO);
  for (size_t i = 0; i < sweep->space.parameters.count; i++) {
    const sli_sweep_parameter_t *parameter = &sweep->space.parameters.items[i];
    size_t entry = sli_wire_open(out, SLI_FIELD_H_PARAM_SESSION_START_HPARAMS);
    sli_wire_write_text(out, SLI_FIELD_H_PARAM_SESSION_START_HPARAMS_ENTRY_KEY, parameter->name);
    write_value(out, SLI_FIELD_H_PARAM_SESSION_START_HPARAMS_ENTRY_VALUE, trial->values[i],
                sli_sweep_parameter_is_number(parameter));
    sli_wire_close(out, entry);
  }
  char *group = sli_format("trial-%03zu", trial->number);
  sli_wire_write_text(out, SLI_FIELD_H_PARAM_SESSION_START_GROUP_NAME, group);
  free(group);
  sli_wire_write_double(out, SLI_FIELD_H_PARAM_SESSION_START_START_TIME_SECS, started);
  sli_wire_close(out, start);
}

static void write_session_end(sli_string_t *out, const sli_sweep_trial_t *trial) {
  size_t end = sli_wire_open(out, SLI_FIELD_H_PARAM_PLUGIN_DATA_SESSION_END_INFO);
  sli_wire_write_int(out, SLI_FIELD_H_PARAM_SESSION_END_STATUS,
                     trial->status == SLI_SWEEP_FAILED ? SLUICE__HPARAM_STATUS__HPARAM_STATUS_FAILURE
                                                       : SLUICE__HPARAM_STATUS__HPARAM_STATUS_SUCCESS);
  sli_wire_write_double(out, SLI_FIELD_H_PARAM_SESSION_END_END_TIME_SECS, sli_event_proto_now());
  sli_wire_close(out, end);
}

// --- Events ---

// A summary whose metadata is |data|, for the plugin; its value is an empty vector.
static sli_status_t *add_plugin_data(sli_event_writer_t *writer, const char *tag, const sli_string_t *data) {
  sli_string_t summary = {0}, event = {0};
  size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag);
  size_t tensor = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE_TENSOR);
  sli_wire_write_int(&summary, SLI_FIELD_TENSOR_PROTO_DTYPE, TENSORFLOW__DATA_TYPE__DT_FLOAT);
  size_t shape = sli_wire_open(&summary, SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE);
  size_t dim = sli_wire_open(&summary, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM);
  sli_wire_close(&summary, dim);
  sli_wire_close(&summary, shape);
  sli_wire_close(&summary, tensor);
  size_t metadata = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE_METADATA);
  size_t plugin = sli_wire_open(&summary, SLI_FIELD_SUMMARY_METADATA_PLUGIN_DATA);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_METADATA_PLUGIN_DATA_PLUGIN_NAME, "hparams");
  sli_wire_write_bytes(&summary, SLI_FIELD_SUMMARY_METADATA_PLUGIN_DATA_CONTENT, data->data, data->size);
  sli_wire_close(&summary, plugin);
  sli_wire_close(&summary, metadata);
  sli_wire_close(&summary, value);
  sli_event_proto_summary(&event, sli_event_proto_now(), 0, view_of(&summary));
  sli_status_t *status = sli_event_writer_add(writer, view_of(&event));
  sli_string_deinitialize(&event);
  sli_string_deinitialize(&summary);
  return status;
}

static sli_status_t *add_metric(sli_event_writer_t *writer, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  sli_string_t summary = {0}, event = {0};
  char *tag = sli_format(SLI_SWEEP_HPARAMS_PREFIX "%s", sweep->metric);
  size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag);
  sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, (float)trial->metric);
  sli_wire_close(&summary, value);
  sli_event_proto_summary(&event, sli_event_proto_now(), trial->step > 0 ? trial->step : trial->rung,
                          view_of(&summary));
  sli_status_t *status = sli_event_writer_add(writer, view_of(&event));
  sli_string_deinitialize(&event);
  sli_string_deinitialize(&summary);
  free(tag);
  return status;
}

// Whether |directory| has an event file of ours; removes it if |remove|.
static bool find_files(const char *directory, bool remove) {
  sli_path_list_t names;
  sli_status_t *status = sli_file_list(directory, &names);
  sli_status_release(status);
  if (status) return false;
  bool found = false;
  for (size_t i = 0; i < names.count; i++) {
    if (!sli_string_ends_with(names.items[i], SUFFIX)) continue;
    found = true;
    char *path = sli_path_join(directory, names.items[i]);
    if (remove) sli_status_release(sli_file_delete(path));
    free(path);
  }
  sli_path_list_deinitialize(&names);
  return found;
}

sli_status_t *sli_sweep_hparams_write_experiment(const sli_sweep_t *sweep) {
  if (find_files(sweep->directory, false)) return NULL;
  sli_event_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_event_writer_create(sweep->directory, SUFFIX, &writer));
  sli_string_t data = {0};
  write_experiment(&data, sweep);
  sli_status_t *status = add_plugin_data(writer, "_hparams_/experiment", &data);
  sli_string_deinitialize(&data);
  if (!status) status = sli_event_writer_close(writer);
  sli_event_writer_release(writer);
  return status;
}

sli_status_t *sli_sweep_hparams_write_trial(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, double started) {
  char *directory = sli_sweep_trial_directory(sweep, trial);
  // TensorBoard keeps the first metadata of a tag: that of an earlier rung would hide this one.
  find_files(directory, true);
  sli_event_writer_t *writer = NULL;
  sli_string_t start = {0}, end = {0};
  sli_status_t *status = sli_event_writer_create(directory, SUFFIX, &writer);
  write_session_start(&start, sweep, trial, started);
  write_session_end(&end, trial);
  if (!status) status = add_plugin_data(writer, "_hparams_/session_start_info", &start);
  if (!status && trial->has_metric) status = add_metric(writer, sweep, trial);
  if (!status) status = add_plugin_data(writer, "_hparams_/session_end_info", &end);
  if (!status) status = sli_event_writer_close(writer);
  sli_event_writer_release(writer);
  sli_string_deinitialize(&start);
  sli_string_deinitialize(&end);
  free(directory);
  return status;
}
