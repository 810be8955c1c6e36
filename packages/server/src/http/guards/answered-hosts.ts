import { listLoopbackNames, toUrlHost } from "../../lib/network/bind-host.ts";

/** The names under which the server can be reached, for the checks of Host and Origin. */
export type AnsweredHosts = {
  /** Accepted values of Host, such as `localhost:7420`. */
  hosts: ReadonlySet<string>;
  /** Accepted values of Origin, such as `http://localhost:7420`. */
  origins: ReadonlySet<string>;
};

type Address = { baseUrl: string; bindHost: string; port: number };

/**
 * The names that a browser may use for the server: the base address, the bound address and, if it
 * listens on loopback, the names of this machine. Any other name in Host belongs to another site that
 * resolves to this server.
 */
export function listAnsweredHosts({ baseUrl, bindHost, port }: Address): AnsweredHosts {
  const base = new URL(baseUrl);
  const names = [...listLoopbackNames(bindHost), toUrlHost(bindHost)];
  // Zone ids such as %eth0 are local and not part of a URL.
  const urls = names.map((name) => new URL(`http://${name.replace(/%[^\]]*/, "")}:${port}`));
  return {
    // `host` omits the scheme's default port, but a client may send it.
    hosts: new Set([base, ...urls].flatMap((url) => [url.host, `${url.hostname}:${portOf(url)}`])),
    origins: new Set([base, ...urls].map((url) => url.origin)),
  };
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
