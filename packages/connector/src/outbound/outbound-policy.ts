import { type Address, findAddress, isInNetwork, type Network, parseNetwork } from "./address.ts";

/** The non-public addresses that a row may call. It is plain data, because plugins receive it. */
export type OutboundPolicy = {
  /** The hosts in the row's saved `url` fields, in the form of `URL.host`. */
  savedHosts: string[];
  /**
   * The hosts, addresses and networks in HUB_OUTBOUND_ALLOW: `nas.lan`, `nas.lan:8443`,
   * `10.0.0.0/8`.
   */
  allow: string[];
  /** If set, nothing else is called, in the form of `URL.origin`: a secret of the row is bound to these. */
  onlyHosts?: string[];
};

export type OutboundRules = {
  /** Whether the host may be called at all. */
  mayCallHost(url: URL): boolean;
  allowsHost(url: URL): boolean;
  /** `forms` are the address and the addresses inside it. One allowed form is enough. */
  allowsAddress(forms: readonly Address[], port: number): boolean;
};

/** Throws an Error that names an invalid entry of `allow`. */
export function toOutboundRules(policy: OutboundPolicy): OutboundRules {
  const savedHosts = new Set(policy.savedHosts.map((host) => host.toLowerCase()));
  const onlyHosts =
    policy.onlyHosts && new Set(policy.onlyHosts.map((origin) => origin.toLowerCase()));
  const entries = policy.allow.map((text) => {
    const entry = findAllowEntry(text);
    if (entry === null) throw new Error(`HUB_OUTBOUND_ALLOW: ${describeBadEntry(text)}`);
    return entry;
  });
  return {
    mayCallHost: (url) => onlyHosts === undefined || onlyHosts.has(url.origin),
    // The port is compared too: a row saved as http://localhost:3000 allows that service, not the
    // database beside it. The default is the port of the scheme.
    allowsHost: (url) =>
      savedHosts.has(url.host) ||
      entries.some((entry) => entry.host === toHostname(url) && isSamePort(entry, toPort(url))),
    allowsAddress: (forms, port) =>
      entries.some(
        ({ network, ...entry }) =>
          network !== null &&
          isSamePort(entry, port) &&
          forms.some((form) => isInNetwork(form, network)),
      ),
  };
}

/** The problem with a list for HUB_OUTBOUND_ALLOW, as a sentence; null if the list is valid. */
export function findAllowFault(entries: readonly string[]): string | null {
  const bad = entries.find((text) => findAllowEntry(text) === null);
  return bad === undefined ? null : describeBadEntry(bad);
}

/** The URL's host without brackets and without the final dot of a full name. */
export function toHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

export function toPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** An entry without a port allows all ports. */
type AllowEntry = { host: string | null; network: Network | null; port: number | null };

function isSamePort(entry: { port: number | null }, port: number): boolean {
  return entry.port === null || entry.port === port;
}

function findAllowEntry(text: string): AllowEntry | null {
  const trimmed = text.trim().toLowerCase();
  if (trimmed.includes("/")) return findNetworkEntry(trimmed);
  const bare = findAddress(trimmed);
  if (bare !== null) return { host: null, network: toNetwork(bare), port: null };
  const [, name = "", portText] =
    /^(\[[^\]]+\]|[^:\s[\]]+?)\.?(?::(\d{1,5}))?$/.exec(trimmed) ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (name === "" || (port !== null && port > 65_535)) return null;
  const address = findAddress(name.replace(/^\[(.*)\]$/, "$1"));
  if (address !== null) return { host: null, network: toNetwork(address), port };
  // Only names that a URL can have can match. `0x7f.1` and similar texts become addresses in URLs.
  const url = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`) : null;
  if (url === null || url.pathname !== "/" || !/^[a-z0-9_-]/.test(url.hostname)) return null;
  if (findAddress(url.hostname) !== null) return null;
  return { host: url.hostname, network: null, port };
}

function findNetworkEntry(text: string): AllowEntry | null {
  const [base = "", length = ""] = text.split("/");
  if (findAddress(base) === null || !/^\d{1,3}$/.test(length)) return null;
  try {
    return { host: null, network: parseNetwork(text), port: null };
  } catch {
    return null;
  }
}

function toNetwork(address: Address): Network {
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function describeBadEntry(text: string): string {
  return `"${text}" is not a host, an address or a network; write nas.lan, nas.lan:8443, 10.1.2.3 or 10.0.0.0/8.`;
}
