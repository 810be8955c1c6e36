/** The methods whose requests need no Content-Length without a body: most have none. */
const bodilessMethods = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/**
 * The header that says where the body ends, for every method. The runtime sends the body of a DELETE or
 * OPTIONS without one.
 *
 * Attack: a server takes a body without a length for the next request on the connection.
 */
export function toFraming(method: string, body: Uint8Array | null): Record<string, string> {
  if (body === null && bodilessMethods.has(method.toUpperCase())) return {};
  return { "content-length": String(body?.byteLength ?? 0) };
}
