const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Whether only this machine can reach a server bound to the host. */
export function isLoopbackHost(host: string): boolean {
  return loopbackNames.includes(toUrlHost(host)) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether the host means every address of the machine. */
export function isWildcardHost(host: string): boolean {
  return host === "0.0.0.0" || toUrlHost(host) === "[::]";
}

/** This machine's loopback names that reach a server bound to the host. */
export function listLoopbackNames(host: string): readonly string[] {
  return isLoopbackHost(host) || isWildcardHost(host) ? loopbackNames : [];
}

/** A host in the form of URLs: IPv6 addresses in brackets. */
export function toUrlHost(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** The URL by which this machine reaches a server bound to the host. */
export function toLocalUrl(host: string, port: number): string {
  const address = isWildcardHost(host) ? "127.0.0.1" : toUrlHost(host);
  return new URL(`http://${address}:${port}`).origin;
}

/** The default base URL of a server bound to the host. */
export function toDefaultBaseUrl(host: string, port: number): string {
  const name = listLoopbackNames(host)[0] ?? toUrlHost(host);
  return new URL(`http://${name}:${port}`).origin;
}
