import ipaddr from "ipaddr.js";

/** Whether an address is a trusted proxy. */
export type TrustedProxies = (address: string) => boolean;

/** The first entry that is neither an address nor a network; null if all are valid. */
export function findProxyFault(entries: readonly string[]): string | null {
  return entries.find((entry) => toNetwork(entry) === null) ?? null;
}

/** Accepts addresses and networks, such as `10.0.0.7` and `fd00::/8`. */
export function createTrustedProxies(entries: readonly string[]): TrustedProxies {
  const networks = entries.map((entry) => {
    const network = toNetwork(entry);
    if (network === null) throw new Error(`"${entry}" is not an address or a network`);
    return network;
  });
  return (address) => {
    const found = findAddress(address);
    if (found === null) return false;
    return networks.some(([base, bits]) => base.kind() === found.kind() && found.match(base, bits));
  };
}

/** The addresses and networks that both lists have. Of two networks, one is within the other, or they have nothing in common. */
export function intersectNetworks(first: readonly string[], second: readonly string[]): string[] {
  const within = (entries: readonly string[], others: readonly string[]) =>
    entries.filter((entry) => others.some((other) => isWithinNetwork(entry, other)));
  return [...new Set([...within(first, second), ...within(second, first)])];
}

function isWithinNetwork(inner: string, outer: string): boolean {
  const [network, around] = [toNetwork(inner), toNetwork(outer)];
  if (network === null || around === null) return false;
  const [[base, bits], [outerBase, outerBits]] = [network, around];
  return base.kind() === outerBase.kind() && bits >= outerBits && base.match(outerBase, outerBits);
}

/** The address in canonical form, without port, brackets and zone; null for any other text. */
export function toPlainAddress(text: string): string | null {
  const bare =
    /^\[(.+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, "$1");
  return findAddress(bare.replace(/%.*$/, ""))?.toString() ?? null;
}

export function isLoopbackAddress(address: string): boolean {
  return findAddress(address)?.range() === "loopback";
}

/** Whether an address is of this machine or of a network without a way from the internet. */
export function isPrivateAddress(address: string): boolean {
  const range = findAddress(address)?.range();
  return range !== undefined && privateRanges.has(range);
}

const privateRanges: ReadonlySet<string> = new Set([
  ...["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"],
]);

/** Where an address belongs. Limits count by these, since one sender has many addresses. */
export type ClientNetworks = {
  /** It counts as one client: an IPv4 address, or an IPv6 /64 network. */
  network: string;
  /** One sender may control it: an IPv4 /24 or an IPv6 /48 network. */
  area: string;
};

/** Number of addresses in the cache. Each request is counted by several limits. */
const addressesMax = 1000;
const known = new Map<string, ClientNetworks>();

/** The networks of an address. Any other text is a network of its own. */
export function toClientNetworks(address: string): ClientNetworks {
  const before = known.get(address);
  if (before !== undefined) return before;
  const networks = findNetworks(address);
  if (known.size >= addressesMax) known.clear();
  known.set(address, networks);
  return networks;
}

function findNetworks(address: string): ClientNetworks {
  const found = findAddress(address);
  if (found === null) return { network: address, area: address };
  if (found instanceof ipaddr.IPv6) {
    const { parts } = found;
    return { network: parts.slice(0, 4).join(":"), area: parts.slice(0, 3).join(":") };
  }
  return { network: found.toString(), area: found.octets.slice(0, 3).join(".") };
}

/** Sockets bound to `::` report IPv4 peers as `::ffff:10.0.0.7`; this returns the IPv4 address. */
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
