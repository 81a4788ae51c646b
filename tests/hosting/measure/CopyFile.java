// The same as copy_file, by HDFS's own client: java -cp JARS CopyFile.java FROM TO. One path is local. Copies twice, as the
// first time warms the machine up, and prints the seconds of the second.
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

public class CopyFile {
  static FileSystem find(Path path, Configuration conf) throws Exception {
    return path.toString().contains("hdfs:") ? path.getFileSystem(conf) : FileSystem.getLocal(conf).getRaw();
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    Path from = new Path(args[0]), to = new Path(args[1]);
    for (int round = 0; round < 2; round++) {
      long start = System.nanoTime();
      byte[] bytes = new byte[1 << 20];
      try (InputStream in = find(from, conf).open(from); OutputStream out = find(to, conf).create(to, true)) {
        for (int got; (got = in.read(bytes)) > 0;) out.write(bytes, 0, got);
      }
      if (round == 1) System.out.printf("%.3f%n", (System.nanoTime() - start) / 1e9);
    }
  }
}
