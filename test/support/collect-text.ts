/** The text that a stream has sent so far. Reading continues in the background. */
export type CollectedText = {
  text(): string;
  /** Resolves with the first match; rejects when the stream ends without one. */
  waitForMatch(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<void>;
};

export function collectText(stream: ReadableStream<Uint8Array>): CollectedText {
  let text = "";
  let isEnded = false;
  let next = Promise.withResolvers<void>();

  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      next.resolve();
      next = Promise.withResolvers();
    }
    isEnded = true;
    next.resolve();
  })();

  return {
    text: () => text,
    async waitForMatch(pattern) {
      for (;;) {
        const match = pattern.exec(text);
        if (match !== null) return match;
        if (isEnded) throw new Error(`The output ended without ${pattern}:\n${text}`);
        await next.promise;
      }
    },
    ended,
  };
}
