/** Requests `GET /health` continuously on a separate connection, and reports the longest duration. */
declare const self: Worker;

let longestMs = 0;
let count = 0;

self.onmessage = async ({ data }: MessageEvent<{ url?: string; take?: true }>) => {
  if (data.take === true) {
    self.postMessage({ longestMs, count });
    longestMs = 0;
    count = 0;
    return;
  }
  for (;;) {
    const startedAt = performance.now();
    await (await fetch(`${data.url}/health`)).text();
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    count += 1;
    await Bun.sleep(2);
  }
};
