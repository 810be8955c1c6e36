/** Reads the messages of one connection: Parse names a statement, Bind runs it, Query does both. */
export function createStatementReader(
  onStatement: (statement: string) => void,
): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let unread = Buffer.alloc(0);
  // The first message has no type.
  let isStarted = false;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (unread.length < start + 4) return;
      const end = start + unread.readInt32BE(start);
      if (unread.length < end) return;
      const type = isStarted ? String.fromCharCode(unread[0] ?? 0) : "";
      const [first = "", second = ""] = unread.toString("utf8", start + 4, end).split("\0", 2);
      unread = unread.subarray(end);
      isStarted = true;
      if (type === "P") prepared.set(first, second);
      else if (type === "B") onStatement(prepared.get(second) ?? second);
      else if (type === "Q") onStatement(first);
    }
  };
}
