import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

/** The range of an address. Connectors may call only `public` ones without permission. */
export type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "link-local"
  | "carrier-grade NAT"
  | "unique local"
  | "multicast"
  | "unspecified"
  | "broadcast"
  | "reserved";

/** An address without brackets, such as `10.0.0.1` or `::1`; null for a name. */
export function findAddress(text: string): Address | null {
  // The library also accepts `127.1` and `0x7f000001`, but in a list of hosts these are names.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

/** Throws if the text is not an address, a slash and a length. */
export function parseNetwork(text: string): Network {
  return ipaddr.parseCIDR(text);
}

export function isInNetwork(address: Address, [base, length]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, length);
}

/** The address and the IPv4 address inside it, if there is one. Both must be allowed. */
export function toForms(address: Address): Address[] {
  const inner = address instanceof ipaddr.IPv6 ? findEmbedded(address) : null;
  return inner === null ? [address] : [address, inner];
}

export function findKind(address: Address): AddressKind {
  if (address instanceof ipaddr.IPv4) return kindsOfIpv4[address.range()] ?? "reserved";
  const inner = findEmbedded(address);
  if (inner === null) return findKindOfIpv6(address);
  const kind = findKind(inner);
  // The deprecated forms are never public.
  return kind === "public" && !usedTunnels.has(address.range()) ? "reserved" : kind;
}

const kindsOfIpv4: Partial<Record<ReturnType<ipaddr.IPv4["range"]>, AddressKind>> = {
  unicast: "public",
  loopback: "loopback",
  private: "private",
  linkLocal: "link-local",
  carrierGradeNat: "carrier-grade NAT",
  multicast: "multicast",
  unspecified: "unspecified",
  broadcast: "broadcast",
};

const kindsOfIpv6: Partial<Record<ReturnType<ipaddr.IPv6["range"]>, AddressKind>> = {
  loopback: "loopback",
  linkLocal: "link-local",
  uniqueLocal: "unique local",
  multicast: "multicast",
  unspecified: "unspecified",
};

/** In networks without IPv4, NAT64 addresses lead to hosts that have only IPv4. */
const usedTunnels = new Set<string>(["ipv4Mapped", "rfc6052", "6to4"]);

function findKindOfIpv6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  // Only 2000::/3 is assigned for global unicast. The library also calls unassigned ranges unicast.
  if (range === "unicast") return (address.parts[0] ?? 0) >> 13 === 1 ? "public" : "reserved";
  return kindsOfIpv6[range] ?? "reserved";
}

/** An IPv4 address at a position where a gateway or the kernel extracts it. */
function findEmbedded(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case "6to4":
      return new ipaddr.IPv4(bytes.slice(2, 6));
    case "ipv4Mapped":
    case "rfc6145":
      return new ipaddr.IPv4(bytes.slice(12));
    case "rfc6052":
      // In 64:ff9b:1::/48, the position depends on the network's prefix, so these addresses are
      // refused.
      return isInNetwork(address, wellKnownNat64) ? new ipaddr.IPv4(bytes.slice(12)) : null;
    case "unicast":
      // IPv4-compatible: ::a.b.c.d
      return isInNetwork(address, ipv4Compatible) ? new ipaddr.IPv4(bytes.slice(12)) : null;
    default:
      return null;
  }
}

const wellKnownNat64 = parseNetwork("64:ff9b::/96");
const ipv4Compatible = parseNetwork("::/96");
