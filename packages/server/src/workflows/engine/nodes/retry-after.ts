/** The wait that a `Retry-After` header asks for (RFC 9110, 10.2.3), in seconds. */
export function parseRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  // Only dates: other texts that `Date` reads are no HTTP dates.
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(Math.ceil((at - now) / 1000), 0);
}
