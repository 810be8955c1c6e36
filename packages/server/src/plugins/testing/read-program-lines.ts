/** Longer lines are split, so that a line without an end cannot fill the memory. */
const lineCharsMax = 64 * 1024;

/** Calls `onLine` with every line of a text stream; resolves at its end. Never rejects. */
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
    // The pipe breaks when its process ends.
  }
  if (rest !== "") onLine(rest);
}
