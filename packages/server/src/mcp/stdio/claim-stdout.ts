/** The console methods that print to standard output. */
const printers = ["log", "info", "debug", "dir", "table", "group"] as const;

/**
 * Reserves standard output for the protocol. Other output, such as a connector's `console.log`,
 * would corrupt the stream, so it goes to standard error.
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
