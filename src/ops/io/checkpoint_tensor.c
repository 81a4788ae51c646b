#include "ops/io/checkpoint_tensor.h"

#include "core/tensor/variant.h"

sli_status_t *sli_checkpoint_tensor_parse_slice(sli_view_t text, const sli_tensor_t *tensor,
                                                sli_tensor_slice_spec_t *out_spec) {
  SLI_RETURN_IF_ERROR(sli_tensor_slice_spec_parse(text, out_spec));
  if (sli_shape_equal((sli_shape_t){out_spec->rank, out_spec->slice_dims}, sli_tensor_shape(tensor))) return NULL;
  sli_tensor_slice_spec_deinitialize(out_spec);
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Slice in shape_and_slice specification does not match the shape of the tensor to  save: "
                         "%.*s, tensor: %s",
                         SLI_VIEW_ARG(text), sli_tensor_shape_text(tensor).text);
}

sli_status_t *sli_checkpoint_tensor_read(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                         const sli_tensor_slice_extent_t *slice, sli_tensor_t *output) {
  bool is_string = output->dtype == SLI_DTYPE_STRING;
  if (!is_string && output->dtype != SLI_DTYPE_VARIANT)
    return sli_checkpoint_reader_read(reader, entry, slice, output->data, sli_tensor_bytes(output));
  sli_bundle_strings_t strings;
  sli_status_t *status = NULL;
  SLI_RETURN_IF_ERROR(sli_checkpoint_reader_read_strings(reader, entry, slice, &strings));
  for (size_t i = 0; i < strings.count && (int64_t)i < output->count && !status; i++) {
    if (is_string)
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], strings.items[i].data, strings.items[i].size);
    else
      status = sli_variant_decode(strings.items[i], 0, &SLI_DATA(sli_object_t *, output)[i]);
  }
  sli_bundle_strings_deinitialize(&strings);
  return status;
}
