import ipaddr from "ipaddr.js";

/** Tells whether an address is one of the proxies that an admin named. */
export type TrustedProxies = (address: string) => boolean;

/** The entry that is neither an address nor a network; null when there is none. */
export function findProxyFault(entries: readonly string[]): string | null {
  return entries.find((entry) => toNetwork(entry) === null) ?? null;
}

/** Takes addresses and networks, as in `10.0.0.7` and `fd00::/8`. */
export function createTrustedProxies(entries: readonly string[]): TrustedProxies {
  const networks = entries.map((entry) => {
    const network = toNetwork(entry);
    if (network === null) throw new Error(`"${entry}" is no address and no network`);
    return network;
  });
  return (address) => {
    const found = findAddress(address);
    if (found === null) return false;
    return networks.some(([base, bits]) => base.kind() === found.kind() && found.match(base, bits));
  };
}

/** The address in its usual form, without port, brackets and zone; null for any other text. */
export function toPlainAddress(text: string): string | null {
  const bare =
    /^\[(.+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, "$1");
  return findAddress(bare.replace(/%.*$/, ""))?.toString() ?? null;
}

export function isLoopbackAddress(address: string): boolean {
  return findAddress(address)?.range() === "loopback";
}

/** What counts as one client: an address, and of version 6 the 2^64 that one line has. */
export function toClientNetwork(address: string): string {
  const found = findAddress(address);
  if (!(found instanceof ipaddr.IPv6)) return found?.toString() ?? address;
  return found.parts.slice(0, 4).join(":");
}

/** What one sender may well have all of: 2^8 addresses of version 4, and 2^80 of version 6. */
export function toClientArea(address: string): string {
  const found = findAddress(address);
  if (found === null) return address;
  if (found instanceof ipaddr.IPv6) return found.parts.slice(0, 3).join(":");
  return found.octets.slice(0, 3).join(".");
}

/** Bound to `::`, a socket tells IPv4 peers as `::ffff:10.0.0.7`: that is the address behind it. */
function findAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : null;
}

function toNetwork(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  const [text = "", bits, more] = entry.split("/");
  const base = findAddress(text);
  if (base === null || more !== undefined) return null;
  const bitsMax = base.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return [base, bitsMax];
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax) return null;
  return [base, Number(bits)];
}
