const lengthMax = 400;

/** The client's User-Agent header, cut to a bounded length for records. */
export function findUserAgent(headers: Headers): string | null {
  return headers.get("user-agent")?.slice(0, lengthMax) ?? null;
}
