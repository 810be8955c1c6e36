import { listLoopbackNames, toUrlHost } from "../lib/bind-host.ts";

/** Where the server can be reached, for the checks of Host and Origin. */
export type AnsweredHosts = {
  /** Values of Host that are answered, as in `localhost:7420`. */
  hosts: ReadonlySet<string>;
  /** Values of Origin that are answered, as in `http://localhost:7420`. */
  origins: ReadonlySet<string>;
};

type Address = { baseUrl: string; bindHost: string; port: number };

/**
 * The names a browser may know the server by: that of the base address, the one it is bound to,
 * and, where it listens on loopback, those of this machine. Every other name in Host is somebody
 * else's, pointed at this server.
 */
export function listAnsweredHosts({ baseUrl, bindHost, port }: Address): AnsweredHosts {
  const base = new URL(baseUrl);
  const names = [...listLoopbackNames(bindHost), toUrlHost(bindHost)];
  // Zone ids such as %eth0 are this machine's business, and no part of a URL.
  const urls = names.map((name) => new URL(`http://${name.replace(/%[^\]]*/, "")}:${port}`));
  return {
    // `host` leaves the scheme's own port out, and a client may as well spell it.
    hosts: new Set([base, ...urls].flatMap((url) => [url.host, `${url.hostname}:${portOf(url)}`])),
    origins: new Set([base, ...urls].map((url) => url.origin)),
  };
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
