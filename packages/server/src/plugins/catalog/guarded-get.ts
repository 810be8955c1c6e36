import { createGuardedFetch, OutboundError } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";

export type GetDeps = {
  /** HUB_OUTBOUND_ALLOW. */
  outboundAllow: string[];
  /** Certificate authorities, as PEM, that replace the machine's. */
  ca?: string;
};

type GetOptions = {
  url: URL;
  /** The URL that an admin gave; its host may have a private address. */
  named: URL;
  /** The name of the download in refusals. */
  plugin: string;
  headers?: Record<string, string>;
  /** From the DNS look-up to the last byte of the body. */
  timeoutMs: number;
  bodyBytesMax: number;
  /** Allows plain http for every host. */
  insecure?: boolean;
  signal?: AbortSignal;
};

const redirectsMax = 5;

/**
 * Fetches over https. A host that an admin gave may have a private address. A host from a catalog or
 * a redirect may not, unless HUB_OUTBOUND_ALLOW lists it.
 */
export async function getGuarded(deps: GetDeps, options: GetOptions): Promise<Response> {
  const { plugin, headers = {}, timeoutMs, bodyBytesMax, insecure = false, signal } = options;
  const fetch = createGuardedFetch({
    policy: { savedHosts: [options.named.host], allow: deps.outboundAllow },
    timeoutMs,
    bodyBytesMax,
    ...(deps.ca !== undefined && { ca: deps.ca }),
    ...(signal !== undefined && { signal }),
  });
  let { url } = options;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    checkScheme(plugin, url, insecure);
    const response = await fetch(url, { headers, redirect: "manual" }).catch((thrown) => {
      throw toDownloadError(plugin, thrown);
    });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    if (!URL.canParse(location, url.href)) break;
    url = new URL(location, url);
  }
  throw refusePlugin({
    plugin,
    check: "download",
    expected: `an answer from ${options.url.host}`,
    found: "too many redirects, or an invalid one",
    remedy: "Use the final address.",
  });
}

/** Converts a failed download to a refusal or an `upstream_error`. */
export function toDownloadError(plugin: string, thrown: unknown): unknown {
  if (!(thrown instanceof OutboundError)) return thrown;
  if (thrown.code === "blocked" || thrown.code === "bad_url" || thrown.code === "body_too_large") {
    return refusePlugin({
      plugin,
      check: "download",
      expected: "a file within the size limit, at a public address or at the one that you gave",
      found: thrown.message.replace(/\.$/, ""),
      remedy: "Download it yourself, check it, and install the file.",
      cause: thrown,
    });
  }
  return new HubError("upstream_error", thrown.message, { cause: thrown });
}

/** Refuses plain http: everyone on the network path can replace a download together with its hash. */
function checkScheme(plugin: string, url: URL, insecure: boolean): void {
  if (url.protocol === "https:") return;
  if (url.protocol === "http:" && (insecure || isLoopback(url.hostname))) return;
  throw refusePlugin({
    plugin,
    check: "download",
    expected: "an https URL",
    found: `${url.protocol}//${url.host}`,
    remedy:
      url.protocol === "http:"
        ? "Use https. --insecure allows plain http, which everyone on the network path can change."
        : "Give the path of a file or folder without a scheme.",
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
