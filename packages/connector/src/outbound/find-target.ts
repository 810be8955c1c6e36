import { lookup } from "node:dns/promises";
import { type AddressKind, findAddress, findKind, toForms } from "./address.ts";
import { isMetadataAddress, isMetadataName } from "./metadata-services.ts";
import { OutboundError } from "./outbound-error.ts";
import { type OutboundRules, toHostname, toPort } from "./outbound-policy.ts";

/** Resolves a name to all its addresses. Rejects or returns an empty list if it has none. */
export type ResolveName = (hostname: string) => Promise<string[]>;

/** The destination of a request. The guard has checked all its addresses. */
export type Target = {
  url: URL;
  /** Without brackets. The certificate must be valid for this name. */
  hostname: string;
  port: number;
  addresses: string[];
};

type TargetDeps = {
  rules: OutboundRules;
  resolve: ResolveName;
  /** What an admin can do about a refused address. */
  advice?: string | undefined;
  /** The one metadata service that may be called, as `URL.host`. */
  metadataHost?: string | undefined;
};

const adviceOfRows =
  "An admin can save this host and port in a URL field of the row, or list the host in HUB_OUTBOUND_ALLOW.";

/**
 * Resolves a URL's host and checks its addresses. Connect to the returned addresses: a second
 * look-up could give different ones (DNS rebinding).
 */
export async function findTarget(deps: TargetDeps, url: URL): Promise<Target> {
  checkUrl(url);
  const hostname = toHostname(url);
  // An address, not a name: a name could lead to another service.
  if (deps.metadataHost === url.host && findAddress(hostname) !== null) {
    return { url, hostname, port: toPort(url), addresses: [hostname] };
  }
  if (isMetadataName(hostname)) throw metadataError(hostname);
  if (!deps.rules.mayCallHost(url)) throw otherHostError(url.host);
  const addresses = findAddress(hostname) === null ? await resolveName(deps, hostname) : [hostname];
  const isHostAllowed = deps.rules.allowsHost(url);
  const port = toPort(url);
  // One blocked address blocks the name, because the used address would be random.
  for (const text of addresses) {
    checkAddress(deps, { hostname, port, text, isHostAllowed });
  }
  return { url, hostname, port, addresses };
}

export async function resolveByMachine(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map((entry) => entry.address);
}

function checkUrl(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError(
      "bad_url",
      `Only http and https addresses can be called, not ${url.protocol}`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError(
      "bad_url",
      `The URL of ${url.host} contains a user name or password. Remove it from the URL and use the connector's authentication fields.`,
    );
  }
}

async function resolveName(deps: TargetDeps, hostname: string): Promise<string[]> {
  let cause: unknown;
  const addresses = await deps.resolve(hostname).catch((thrown: unknown) => {
    cause = thrown;
    return [];
  });
  if (addresses.length > 0) return addresses;
  throw new OutboundError(
    "dns",
    `No address was found for the host ${hostname}. Check its spelling; an admin can check that the hub's machine can look it up.`,
    { cause, isUnsent: true },
  );
}

type AddressCheck = { hostname: string; port: number; text: string; isHostAllowed: boolean };

function checkAddress({ rules, advice }: TargetDeps, check: AddressCheck): void {
  const address = findAddress(check.text);
  if (address === null) throw blockedError(check, "reserved", advice);
  const forms = toForms(address);
  if (isMetadataAddress(forms)) throw metadataError(check.hostname);
  const kind = findKind(address);
  if (kind === "public" || check.isHostAllowed || rules.allowsAddress(forms, check.port)) return;
  throw blockedError(check, kind, advice);
}

/**
 * The message names the kind of the address, not the address, so that a model cannot explore the
 * network.
 */
function blockedError(
  { hostname, port, text }: AddressCheck,
  kind: AddressKind,
  advice = adviceOfRows,
): OutboundError {
  const article = kind === "unspecified" ? "an" : "a";
  const verb = hostname === text ? "is" : "leads to";
  return new OutboundError(
    "blocked",
    `${hostname} (port ${port}) ${verb} ${article} ${kind} address, which connectors may not call. ${advice}`,
  );
}

/** Secrets of the row may be sent to some hosts only. */
function otherHostError(host: string): OutboundError {
  return new OutboundError(
    "blocked",
    `${host} may not be called: a secret of the row may be sent to other hosts only. An admin can add the host to the secret at Admin → Secret managers.`,
  );
}

function metadataError(hostname: string): OutboundError {
  return new OutboundError(
    "blocked",
    `${hostname} is a cloud's metadata service, which returns the credentials of the hub's machine. Connectors may never call it, and no setting allows it.`,
  );
}
