import { createGuardedFetch, OutboundError } from "@hub/connector";
import { HubError } from "../errors.ts";
import { refusePlugin } from "./verify/refuse-plugin.ts";

export type GetDeps = {
  /** HUB_OUTBOUND_ALLOW. */
  outboundAllow: string[];
  /** Authorities to trust in place of the machine's, as PEM. */
  ca?: string;
};

type GetOptions = {
  url: URL;
  /** Whose host an admin named, so that it may be a private one. */
  named: URL;
  /** How a refusal calls what is fetched. */
  plugin: string;
  headers?: Record<string, string>;
  /** From the look-up to the body's last byte. */
  timeoutMs: number;
  bodyBytesMax: number;
  /** Lets plain http through, for any host. */
  insecure?: boolean;
  signal?: AbortSignal;
};

const redirectsMax = 5;

/**
 * Fetches over https. A host that an admin named may be a private one; what a catalog or a redirect
 * names may not, unless HUB_OUTBOUND_ALLOW lists it.
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
    found: "redirects that lead nowhere",
    remedy: "Give the final address.",
  });
}

/** Says of a failed download whether it was refused or did not come through. */
export function toDownloadError(plugin: string, thrown: unknown): unknown {
  if (!(thrown instanceof OutboundError)) return thrown;
  if (thrown.code === "blocked" || thrown.code === "bad_url" || thrown.code === "body_too_large") {
    return refusePlugin({
      plugin,
      check: "download",
      expected: "a file of bearable size at a public address, or at the one that you named",
      found: thrown.message.replace(/\.$/, ""),
      remedy: "Download it yourself, look at it, and install the file.",
      cause: thrown,
    });
  }
  return new HubError("upstream_error", thrown.message, { cause: thrown });
}

/** Anyone on the way can replace what comes over plain http, with its hash. */
function checkScheme(plugin: string, url: URL, insecure: boolean): void {
  if (url.protocol === "https:") return;
  if (url.protocol === "http:" && (insecure || isLoopback(url.hostname))) return;
  throw refusePlugin({
    plugin,
    check: "download",
    expected: "an https address",
    found: `${url.protocol}//${url.host}`,
    remedy:
      url.protocol === "http:"
        ? "Use https; --insecure allows plain http, which anyone on the way can change."
        : "Give the path of a file or folder as it is, without a scheme.",
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
