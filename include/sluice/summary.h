// Summaries of values for TensorBoard, and the event files that hold them.
#ifndef SLUICE_SUMMARY_H_
#define SLUICE_SUMMARY_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"
#include "sluice/saver.h"

SL_BEGIN_DECLS

// A serialized summary of a scalar. Its tag is the name scope and |tag|, made unique. Added to SL_SUMMARIES.
SL_EXPORT TF_Output sl_summary_scalar_with(sl_scope_t *scope, const char *tag, TF_Output value);
#define sl_summary_scalar(scope, tag, value) sl_summary_scalar_with(SL_AT(scope), (tag), (value))
// The distribution of |values|.
SL_EXPORT TF_Output sl_summary_histogram_with(sl_scope_t *scope, const char *tag, TF_Output values);
#define sl_summary_histogram(scope, tag, values) sl_summary_histogram_with(SL_AT(scope), (tag), (values))
// The first |max_outputs| (0: 3) images of a batch [batch, height, width, channels] with 1, 3 or 4 channels. uint8
// values are used as they are, others are scaled.
SL_EXPORT TF_Output sl_summary_image_with(sl_scope_t *scope, const char *tag, TF_Output images, int max_outputs);
#define sl_summary_image(scope, tag, images, max_outputs) \
  sl_summary_image_with(SL_AT(scope), (tag), (images), (max_outputs))
// The first |max_outputs| (0: 3) sounds of a batch [batch, frames] or [batch, frames, channels] with values in [-1, 1].
SL_EXPORT TF_Output sl_summary_audio_with(sl_scope_t *scope, const char *tag, TF_Output sounds, double sample_rate,
                                          int max_outputs);
#define sl_summary_audio(scope, tag, sounds, sample_rate, max_outputs) \
  sl_summary_audio_with(SL_AT(scope), (tag), (sounds), (sample_rate), (max_outputs))
// Merges all of SL_SUMMARIES; empty if there are none.
SL_EXPORT TF_Output sl_summary_merge_all_with(sl_scope_t *scope);
#define sl_summary_merge_all(scope) sl_summary_merge_all_with(SL_AT(scope))

// Writes a new event file in |directory|, which is created if necessary. Thread-safe; calls block. As
// tf.summary.FileWriter.
typedef struct sl_file_writer sl_file_writer_t;
SL_EXPORT sl_file_writer_t *sl_file_writer_open(const char *directory, TF_Status *status);
// |summary| is a serialized Summary, as the ops above return it.
SL_EXPORT void sl_file_writer_add_summary(sl_file_writer_t *writer, const void *summary, size_t size, int64_t step,
                                          TF_Status *status);
// The same from the tensor that was fetched.
SL_EXPORT void sl_file_writer_add_summary_tensor(sl_file_writer_t *writer, const TF_Tensor *summary, int64_t step,
                                                 TF_Status *status);
SL_EXPORT void sl_file_writer_add_scalar(sl_file_writer_t *writer, const char *tag, float value, int64_t step,
                                         TF_Status *status);
SL_EXPORT void sl_file_writer_add_graph(sl_file_writer_t *writer, TF_Graph *graph, TF_Status *status);
// The graph with its collections and |saver| (NULL: none).
SL_EXPORT void sl_file_writer_add_meta_graph(sl_file_writer_t *writer, const sl_scope_t *scope, const sl_saver_t *saver,
                                             TF_Status *status);
// Records that a checkpoint was written.
SL_EXPORT void sl_file_writer_add_checkpoint(sl_file_writer_t *writer, const char *path, int64_t step,
                                             TF_Status *status);
// Records that a session starts at |step|: events of later steps that were written before are no longer valid.
SL_EXPORT void sl_file_writer_add_session_start(sl_file_writer_t *writer, int64_t step, TF_Status *status);
// Records that the session ended without an error.
SL_EXPORT void sl_file_writer_add_session_stop(sl_file_writer_t *writer, TF_Status *status);
// The statistics of a step, a serialized RunMetadata, under |tag|.
SL_EXPORT void sl_file_writer_add_run_metadata(sl_file_writer_t *writer, const TF_Buffer *metadata, const char *tag,
                                               int64_t step, TF_Status *status);
// After this call other processes can read what was added.
SL_EXPORT void sl_file_writer_flush(sl_file_writer_t *writer, TF_Status *status);
// Flushes, closes and releases. NULL is fine.
SL_EXPORT void sl_file_writer_close(sl_file_writer_t *writer, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SUMMARY_H_
