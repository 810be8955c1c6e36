const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Whether only this machine reaches what is bound to the host. */
export function isLoopbackHost(host: string): boolean {
  return loopbackNames.includes(toUrlHost(host)) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether the host means every address of the machine. */
export function isWildcardHost(host: string): boolean {
  return host === "0.0.0.0" || toUrlHost(host) === "[::]";
}

/** The names of this machine to itself, where something bound to the host hears them. */
export function listLoopbackNames(host: string): readonly string[] {
  return isLoopbackHost(host) || isWildcardHost(host) ? loopbackNames : [];
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function toUrlHost(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** Where this machine itself reaches what is bound to the host. */
export function toLocalUrl(host: string, port: number): string {
  const address = isWildcardHost(host) ? "127.0.0.1" : toUrlHost(host);
  return new URL(`http://${address}:${port}`).origin;
}

/** Where clients reach the hub when nobody said: a name that what is bound to the host hears. */
export function toDefaultBaseUrl(host: string, port: number): string {
  const name = listLoopbackNames(host)[0] ?? toUrlHost(host);
  return new URL(`http://${name}:${port}`).origin;
}
