/** What prints to standard output, besides writing to it. */
const printers = ["log", "info", "debug", "dir", "table", "group"] as const;

/**
 * Takes standard output for the protocol. Anything else that prints there, such as a connector's
 * `console.log`, would break the client's reading, so it goes to standard error from now on.
 */
export function claimStdout(): { output: WritableStream<Uint8Array>; release(): void } {
  const sink = Bun.stdout.writer();
  const write = process.stdout.write;
  const printed = printers.map((name) => [name, console[name]] as const);

  process.stdout.write = process.stderr.write.bind(process.stderr);
  for (const name of printers) console[name] = (...parts: unknown[]) => console.error(...parts);

  return {
    output: new WritableStream({
      async write(chunk) {
        await sink.write(chunk);
        await sink.flush();
      },
    }),
    release() {
      process.stdout.write = write;
      for (const [name, print] of printed) console[name] = print;
    },
  };
}
