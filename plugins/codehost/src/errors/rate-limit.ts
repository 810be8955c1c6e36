import { readRequestedWait } from "@hub/connector";

/** The wait that the host asks for where it does not say how long (its documentation: at least a minute). */
const unnamedWaitS = 60;

/** How long to wait after a rate limit of any kind, in seconds; null for other answers. */
export function findRateLimitWait(response: Response, hostMessage: string): number | null {
  const waitS = readRequestedWait(response, { now: Date.now() });
  if (waitS !== null) return waitS;
  return findRateLimit(response, hostMessage) === null ? null : unnamedWaitS;
}

/** When to retry after a rate limit of any kind; null for other answers. */
export function findRateLimit({ status, headers }: Response, hostMessage: string): string | null {
  if (status !== 403 && status !== 429) return null;
  const wait = headers.get("retry-after");
  const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
  const isSecondary = /secondary rate limit|abuse detection/i.test(hostMessage);
  if (wait === null && !isUsedUp && !isSecondary && status !== 429) return null;
  const what = isSecondary || !isUsedUp ? secondary : hourly;
  return `${what} ${formatRetryTime(headers, wait)}`;
}

const hourly = "The token's rate limit is used up. Its permissions are not the cause.";
const secondary =
  "Too many requests in a short time reached a secondary rate limit. Permissions are not the cause.";

function formatRetryTime(headers: Headers, wait: string | null): string {
  if (wait !== null && /^\d{1,9}$/.test(wait)) {
    // Uses the host's clock, because the clock of this machine may differ.
    const now = Date.parse(headers.get("date") ?? "");
    const until = toUtc(now + Number(wait) * 1000);
    return `Try again in ${wait} s${until === null ? "" : `, at ${until}`}.`;
  }
  const reset = Number(headers.get("x-ratelimit-reset") ?? Number.NaN);
  const until = toUtc(reset * 1000);
  return until === null ? "Wait at least 60 s, then try again." : `Try again at ${until}.`;
}

function toUtc(timeMs: number): string | null {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(".000Z", "Z");
}
