type BodyWatcher = { onChunk(bytes: number): void; onError(thrown: unknown): void };

/** Passes a body on as it is read. */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  { onChunk, onError }: BodyWatcher,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          onChunk(value.byteLength);
          controller.enqueue(value);
        } catch (thrown) {
          onError(thrown);
          controller.error(thrown);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The same response with another body. */
export function replaceBody(
  response: Response,
  body: ReadableStream<Uint8Array> | string,
): Response {
  const { status, statusText, headers, url, redirected } = response;
  const replaced = new Response(body, { status, statusText, headers });
  // The client library compares the address to find redirects.
  Object.defineProperty(replaced, "url", { value: url });
  Object.defineProperty(replaced, "redirected", { value: redirected });
  return replaced;
}
