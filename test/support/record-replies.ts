/** A header or the body of a reply, with its request. */
export type RecordedPart = { label: string; text: string };

export type ReplyRecord = Disposable & { parts: RecordedPart[] };

/** Records every reply of these origins to this process until it is disposed. */
export function recordReplies(origins: () => readonly string[]): ReplyRecord {
  const parts: RecordedPart[] = [];
  const plainFetch = globalThis.fetch;
  const recordingFetch = async (...args: Parameters<typeof fetch>) => {
    const response = await plainFetch(...args);
    const [given, init] = args;
    const url = new URL(given instanceof Request ? given.url : given);
    if (!origins().includes(url.origin)) return response;
    const method = init?.method ?? (given instanceof Request ? given.method : "GET");
    const request = `${method} ${url.pathname}`;
    response.headers.forEach(
      (text, name) => void parts.push({ label: `${request} ${name}`, text }),
    );
    // Reads the whole body, because these tests open no endless streams.
    const text = await response.clone().text();
    parts.push({ label: `${request} body`, text });
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
