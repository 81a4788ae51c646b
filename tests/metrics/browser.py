"""Headless Chromium, controlled through its debugging pipe."""
import base64
import json
import os
import select
import subprocess
import time


class Browser:
    """Use it as a context. A page that does not answer within a minute is an error."""

    def __init__(self, profile, width=1280, height=1600):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def arrange():  # Chromium reads from descriptor 3 and writes to 4
            high = [os.dup2(to_read, 20), os.dup2(to_write, 21)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             f"--window-size={width},{height}", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=arrange, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self.complaints = []  # what the page wrote to the console as errors
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self._call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._process.kill()
        self._process.wait()

    def _next(self, deadline):
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0, deadline - time.time()))[0]:
                raise RuntimeError("Chromium does not answer")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("Chromium has ended")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"].get("exception", {}).get("description", "?"))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.complaints.append(message["params"]["entry"]["text"])
        return message

    def _call(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if hasattr(self, "_session"):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.time() + 60
        while True:
            reply = self._next(deadline)
            if reply.get("id") == self._last:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def open(self, url):
        self._call("Page.navigate", url=url)

    def value(self, expression):
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression, what):
        deadline = time.time() + 90
        while not self.value(f"(() => {{ try {{ return {expression}; }} catch (error) {{ return false; }} }})()"):
            if time.time() > deadline:
                raise RuntimeError(f"waited in vain for {what}: {self.value('document.body.innerText')[:500]}")
            time.sleep(0.1)

    def theme(self, name):
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        picture = self._call("Page.captureScreenshot", captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": 1280, "scale": 1,
                                   "height": min(4000, self.value("document.documentElement.scrollHeight"))})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))
