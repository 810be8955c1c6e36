const nsPerMs = 1_000_000n;

/** The latest time in nanoseconds in a signed 64-bit integer, in the year 2262. */
export const timeNsMax = 9_223_372_036_854_775_807n;

const form =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Parses an RFC 3339 time with any offset to nanoseconds since 1970; null for other text. */
export function fromRfc3339(text: string): bigint | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [, date, clock, fraction = "", sign = "+", hours = "00", minutes = "00"] = match;
  const local = `${date}T${clock}`;
  const localMs = Date.parse(`${local}Z`);
  // `Date` accepts 30 February as 2 March, so the date is compared after parsing.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local)) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return BigInt(localMs - offsetMs) * nsPerMs + BigInt(fraction.padEnd(9, "0"));
}

/** Formats a time in UTC with nanoseconds, without trailing zeros: `2026-11-20T09:30:00.000000001Z`. */
export function toRfc3339(timeNs: bigint): string {
  const secondNs = ((timeNs % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const second = new Date(Number((timeNs - secondNs) / nsPerMs)).toISOString().slice(0, -5);
  const fraction = secondNs.toString().padStart(9, "0").replace(/0+$/, "");
  return `${second}${fraction === "" ? "" : `.${fraction}`}Z`;
}
