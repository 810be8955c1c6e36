/** A part of a reply: a header, or the body, and what was asked. */
export type RecordedPart = { place: string; text: string };

export type ReplyRecord = Disposable & { parts: RecordedPart[] };

/** Keeps every reply of this origin that any client of the test gets, until it is disposed of. */
export function recordReplies(origins: () => readonly string[]): ReplyRecord {
  const parts: RecordedPart[] = [];
  const plainFetch = globalThis.fetch;
  const recordingFetch = async (...args: Parameters<typeof fetch>) => {
    const response = await plainFetch(...args);
    const [given, init] = args;
    const url = new URL(given instanceof Request ? given.url : given);
    if (!origins().includes(url.origin)) return response;
    const method = init?.method ?? (given instanceof Request ? given.method : "GET");
    const asked = `${method} ${url.pathname}`;
    response.headers.forEach((text, name) => void parts.push({ place: `${asked} ${name}`, text }));
    // Read whole at once: the clients here ask for nothing that goes on for ever.
    const text = await response.clone().text();
    parts.push({ place: `${asked} body`, text });
    return response;
  };
  globalThis.fetch = Object.assign(recordingFetch, plainFetch);
  return {
    parts,
    [Symbol.dispose]() {
      globalThis.fetch = plainFetch;
    },
  };
}
