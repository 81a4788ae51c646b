// Requests to HDFS by its REST interface, WebHDFS. For file_hdfs.c.
//
// A path names its name nodes in one of these ways:
//   webhdfs://host:port/…, swebhdfs://…   the HTTP or HTTPS address itself; ports 9870 and 9871 by default
//   hdfs://host:port/…                    the address of the Java clients. The HTTP address is SLUICE_WEBHDFS, a list
//   of
//                                         http://host:port; else what hdfs-site.xml in HADOOP_CONF_DIR (or
//                                         HADOOP_HOME/etc/hadoop) says; else http://host:9870
//   hdfs:///…, hdfs://default/…           fs.defaultFS of core-site.xml
// The user is HADOOP_USER_NAME, else that of this process. There is no Kerberos.
//
// Requests go on, with growing pauses, while name nodes are in standby or safe mode and nodes cannot be reached, until
// SLUICE_FILE_TIMEOUT has passed. Thread-safe; blocks.
#ifndef SLI_IO_FILE_HDFS_REQUEST_H_
#define SLI_IO_FILE_HDFS_REQUEST_H_

#include <jansson.h>

#include "io/file/http.h"

// A file or directory. The views point into the path that it was made of.
typedef struct {
  sli_view_t scheme, authority;
  const char *path;   // "/dir/file"
  const char *shown;  // for messages
} sli_hdfs_name_t;

// |path| is without the scheme, which |shown| begins with.
sli_hdfs_name_t sli_hdfs_name(const char *path, const char *shown);

// An operation of the name node: "op=MKDIRS&…" by GET, PUT, POST or DELETE. The caller owns |*out_reply|, which may be
// NULL. |*out_repeated|, if not NULL: an earlier attempt may have been carried out although its reply was lost.
sli_status_t *sli_hdfs_call(const sli_hdfs_name_t *name, const char *method, const char *query, json_t **out_reply,
                            bool *out_repeated);
// How much longer than SLUICE_FILE_TIMEOUT a read or an extension may take if a writer died that had the file open:
// HDFS waits for that one for a minute, then closes the file.
#define SLI_HDFS_LEASE_NANOS ((int64_t)90 * 1000000000)

// Reads up to |size| bytes; fewer only at the end of the file. If a writer died that had the file open, lets HDFS close
// it, which takes up to a minute.
sli_status_t *sli_hdfs_read(const sli_hdfs_name_t *name, uint64_t offset, void *data, size_t size, size_t *out_size);
// Gives bytes from |offset| on to |sink|, fewer than its capacity only at the end of the file. One attempt.
sli_status_t *sli_hdfs_stream(const sli_hdfs_name_t *name, uint64_t offset, const sli_http_sink_t *sink);

typedef struct {
  const void *data;
  size_t size;
  void (*sent)(void *context);  // called when all bytes have been sent, or NULL
  void *context;
} sli_hdfs_body_t;
// Sends |body| to a data node by "op=CREATE&…" (PUT) or "op=APPEND" (POST), once. |*out_is_temporary|: another attempt
// may succeed.
sli_status_t *sli_hdfs_send(const sli_hdfs_name_t *name, const char *method, const char *query,
                            const sli_hdfs_body_t *body, bool *out_is_temporary);

#endif  // SLI_IO_FILE_HDFS_REQUEST_H_
