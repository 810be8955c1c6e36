/** A longer line is cut in pieces: a plugin that never ends a line must not fill the memory. */
const lineCharsMax = 64 * 1024;

/** Calls back with every line of a stream of text; resolves at its end. Never rejects. */
export async function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of stream) {
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line.replace(/\r$/, ""));
      for (; rest.length > lineCharsMax; rest = rest.slice(lineCharsMax)) {
        onLine(rest.slice(0, lineCharsMax));
      }
    }
  } catch {
    // The pipe broke with its process.
  }
  if (rest !== "") onLine(rest);
}
