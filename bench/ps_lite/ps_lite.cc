// What sluice.c measures, with ps-lite: round trips of a scalar, 1 MB, 100 MB and 100,000 small keys. The server keeps
// a value where it was received (assign), which is the least it can do; small keys are summed in a map, as by ps-lite's
// own KVServerDefaultHandle.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include "ps/ps.h"

using namespace ps;

static std::unordered_map<Key, SArray<float>> large;
static std::unordered_map<Key, float> small;

static void Handle(const KVMeta &meta, const KVPairs<float> &data, KVServer<float> *server) {
  KVPairs<float> reply;
  bool is_large = data.keys.size() == 1;
  if (meta.push && is_large) {
    large[data.keys[0]] = data.vals;
  } else if (meta.push) {
    for (size_t i = 0; i < data.keys.size(); i++) small[data.keys[i]] += data.vals[i];
  } else {
    reply.keys = data.keys;
    if (is_large) {
      reply.vals = large[data.keys[0]];
      reply.lens = {(int)reply.vals.size()};
    } else {
      reply.vals.resize(data.keys.size());
      for (size_t i = 0; i < data.keys.size(); i++) reply.vals[i] = small[data.keys[i]];
    }
  }
  server->Response(meta, reply);
}

static double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void Row(KVWorker<float> *kv, const char *what, size_t count, size_t length, int repeats) {
  Postoffice::Get()->Barrier(0, kWorkerGroup);
  SArray<Key> keys(count);
  SArray<float> values(count * length, 1), read;
  SArray<int> lens(count, (int)length);
  SArray<int> read_lens;
  for (size_t i = 0; i < count; i++) keys[i] = i + (count == 1 ? 1000000 + MyRank() : 0);
  std::vector<double> push, pull;
  for (int i = 0; i < repeats + 3; i++) {
    double start = Seconds();
    kv->Wait(kv->ZPush(keys, values, count == 1 ? lens : SArray<int>()));
    double middle = Seconds();
    kv->Wait(kv->ZPull(keys, &read, count == 1 ? &read_lens : nullptr));
    if (i >= 3) push.push_back(middle - start), pull.push_back(Seconds() - middle);
  }
  std::sort(push.begin(), push.end());
  std::sort(pull.begin(), pull.end());
  if (MyRank() == 0) printf("%s %.9f %.9f\n", what, push[repeats / 2], pull[repeats / 2]);
  fflush(stdout);
}

int main() {
  Start(0);
  if (IsServer()) {
    auto server = new KVServer<float>(0);
    server->set_request_handle(Handle);
    RegisterExitCallback([server]() { delete server; });
  }
  if (IsWorker()) {
    KVWorker<float> kv(0, 0);
    Row(&kv, "scalar", 1, 1, 2000);
    Row(&kv, "1MB", 1, 262144, 200);
    Row(&kv, "100MB", 1, 26214400, 5);
    Row(&kv, "100000keys", 100000, 1, 50);
  }
  Finalize(0, true);
  return 0;
}
