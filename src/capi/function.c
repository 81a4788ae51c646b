// Functions: the graph keeps the library of a GraphDef, but nothing makes or
// calls one yet. Every call says so.
#include "capi/capi.h"

static void unimplemented(TF_Status *status) {
  sli_capi_set_status(status, sli_status_make(SLI_UNIMPLEMENTED, "Functions are not available in Sluice"));
}

void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad, TF_Status *status) {
  unimplemented(status);
}

int TF_GraphNumFunctions(TF_Graph *g) { return 0; }

int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  return 0;
}

TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name,
                                int num_opers, const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
                                int noutputs, const TF_Output *outputs, const char *const *output_names,
                                const TF_FunctionOptions *opts, const char *description, TF_Status *status) {
  unimplemented(status);
  return NULL;
}

TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name, int num_opers,
    const TF_Operation *const *opers, int ninputs, const TF_Output *inputs, int noutputs, const TF_Output *outputs,
    const char *const *output_names, int ncontrol_outputs, const TF_Operation *const *control_outputs,
    const char *const *control_output_names, const TF_FunctionOptions *opts, const char *description,
    TF_Status *status) {
  unimplemented(status);
  return NULL;
}

const char *TF_FunctionName(TF_Function *func) { return ""; }

void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status) {
  unimplemented(status);
}

TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status) {
  unimplemented(status);
  return NULL;
}

void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto, size_t proto_len,
                                  TF_Status *status) {
  unimplemented(status);
}

void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name, TF_Buffer *output_attr_value,
                                  TF_Status *status) {
  unimplemented(status);
}

void TF_DeleteFunction(TF_Function *func) {}
