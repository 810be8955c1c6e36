/** After each step that reads a body or text of more bytes than this, the event loop gets a turn. */
export const largeBytes = 256 * 1024;

/** Lets the event loop run other work before the caller continues. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
