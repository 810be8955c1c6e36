import { isJsonObject } from "../json.ts";

/** What a wait is read from: an answer, or its status and its headers by names in lower case. */
type Answered = {
  status: number;
  headers: Headers | Readonly<Record<string, string | undefined>>;
};

/** Epoch seconds after this are ms. */
const secondsMax = 100_000_000_000;
/** Later times are none: a `Date` has no more. */
const millisecondsMax = 8_640_000_000_000_000;
/** A smaller number is a pause, not a time since 1970. */
const epochSecondsMin = 1_000_000_000;

/**
 * The wait in seconds that a refusal asks for before another try; null if it asks for none. It is the header
 * `Retry-After` (RFC 9110, 10.2.3), else the reset of a limit that is used up (`X-RateLimit-Remaining: 0` with
 * `X-RateLimit-Reset`), else the member `parameters.retry_after` or `retry_after` of the JSON `body`, with which
 * Telegram and other bot platforms say it. Dates count from the server's own `Date`, or from `now` in epoch ms.
 *
 * @example readRequestedWait(response, { now: Date.now() }); // 30, for "Retry-After: 30"
 */
export function readRequestedWait(
  { status, headers }: Answered,
  { now, body }: { now: number; body?: unknown },
): number | null {
  if (status < 400) return null;
  const read = (name: string) =>
    (headers instanceof Headers ? headers.get(name) : headers[name]) ?? null;
  const sentAt = readHttpDate(read("date")) ?? now;
  return (
    readRetryAfter(read("retry-after"), sentAt) ??
    readReset(read, sentAt) ??
    (status === 429 ? readBody(body) : null)
  );
}

function readRetryAfter(text: string | null, sentAt: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text.trim())) return Number(text);
  const at = readHttpDate(text);
  return at === null ? null : toWait(at - sentAt);
}

/** The three forms of RFC 9110, 5.6.7. Other texts that `Date` reads are no HTTP dates. */
function readHttpDate(text: string | null): number | null {
  if (text === null || !/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const isAsctime = /^[A-Z][a-z]{2} [A-Z]/.test(text);
  const at = Date.parse(
    isAsctime
      ? `${text.trim()} GMT`
      : text.trim().replace(/^[A-Z][a-z]+, (\d\d)-([A-Z][a-z]{2})-(\d\d) /, toFullYear),
  );
  return Number.isNaN(at) ? null : at;
}

/** `06-Nov-94`: a year of two digits that would be more than 50 years ahead is past. */
function toFullYear(_whole: string, day: string, month: string, year: string): string {
  const century = Number(year) > 76 ? "19" : "20";
  return `${day} ${month} ${century}${year} `;
}

/** The names of the hosts that have such limits. The value is a time since 1970, or a pause. */
const limitNames = ["x-ratelimit", "ratelimit", "x-rate-limit"];

function readReset(read: (name: string) => string | null, sentAt: number): number | null {
  for (const name of limitNames) {
    if (read(`${name}-remaining`)?.trim() !== "0") continue;
    const reset = Number(read(`${name}-reset`)?.trim() || Number.NaN);
    if (!(reset >= 0 && reset < millisecondsMax)) continue;
    if (reset < epochSecondsMin) return reset;
    return toWait((reset < secondsMax ? reset * 1000 : reset) - sentAt);
  }
  return null;
}

function readBody(body: unknown): number | null {
  if (!isJsonObject(body)) return null;
  const { parameters, retry_after: own } = body;
  const found = isJsonObject(parameters) ? parameters.retry_after : own;
  return typeof found === "number" && found >= 0 && found < secondsMax ? found : null;
}

const toWait = (ms: number) => Math.max(Math.ceil(ms / 1000), 0);
