/** The origin of a request, from trusted sources only. */
export type Client = {
  /** Null without a socket, as in tests. */
  ip: string | null;
  /** The host name that the client requested. */
  host: string | null;
  /** The request comes from a program on this machine and was not forwarded. */
  isLocal: boolean;
};
