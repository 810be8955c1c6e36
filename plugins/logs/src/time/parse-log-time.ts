import { InvalidInputError } from "@hub/connector";
import { fromRfc3339, timeNsMax, toRfc3339 } from "./rfc3339.ts";

/** The accepted forms of a time, for the error. */
const timeForms =
  "RFC 3339 with an offset (2026-11-20T09:30:00Z), now or a time relative to it (now-15m, now-2d; units s, m, h, d, w), or Unix nanoseconds (at least 15 digits)";

/** Nanoseconds since 1970. Throws InvalidInputError with the forms that are accepted. */
export function parseTime(input: string, given: string, nowNs: bigint): bigint {
  const text = given.trim();
  const timeNs = findTime(text, nowNs);
  if (timeNs === null) throw new InvalidInputError(input, `is not a time. ${explain(text)}`);
  if (timeNs < 0n || timeNs > timeNsMax) {
    throw new InvalidInputError(input, "must lie between 1970-01-01 and 2262-04-11");
  }
  return timeNs;
}

function findTime(text: string, nowNs: bigint): bigint | null {
  if (/^\d{15,}$/.test(text)) return text.length > 40 ? timeNsMax + 1n : BigInt(text);
  return fromRelative(text, nowNs) ?? fromRfc3339(text);
}

const unitsNs: Record<string, bigint> = {
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

/** `now`, `now-1h` or `now-1h30m`. */
function fromRelative(text: string, nowNs: bigint): bigint | null {
  const match = /^now(?:\s*([+-])\s*((?:\d{1,9}(?:ms|[smhdw]))+))?$/.exec(text);
  if (match === null) return null;
  const [, sign, duration = ""] = match;
  let amountNs = 0n;
  for (const [, digits = "", unit = ""] of duration.matchAll(/(\d+)(ms|[smhdw])/g)) {
    amountNs += BigInt(digits) * (unitsNs[unit] ?? 0n);
  }
  return sign === "-" ? nowNs - amountNs : nowNs + amountNs;
}

function explain(text: string): string {
  if (/^\d{10}$/.test(text)) return isCounted(text, "seconds", 1_000_000_000n);
  if (/^\d{13}$/.test(text)) return isCounted(text, "milliseconds", 1_000_000n);
  if (fromRfc3339(`${text}Z`) !== null) {
    return `It has no offset: write ${text}Z for UTC, or ${text}+02:00.`;
  }
  return `It must be ${timeForms}.`;
}

function isCounted(digits: string, unit: string, unitNs: bigint): string {
  const meant = toRfc3339(BigInt(digits) * unitNs);
  return `Digits must be Unix nanoseconds, at least 15 of them. If these are ${unit}, write ${meant}.`;
}
