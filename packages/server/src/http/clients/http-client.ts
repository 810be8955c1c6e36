/** The origin of a request, from trusted sources only. */
export type Client = {
  /** Null without a socket, as in tests. */
  ip: string | null;
  /** The host name that the client requested. */
  host: string | null;
  /** The request comes from a program on this machine and was not forwarded. */
  isLocal: boolean;
};

const lengthMax = 400;

/** The client's User-Agent header, cut to a bounded length for records. */
export function findUserAgent(headers: Headers): string | null {
  return headers.get("user-agent")?.slice(0, lengthMax) ?? null;
}
