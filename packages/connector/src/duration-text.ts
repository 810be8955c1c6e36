/**
 * A length of time in milliseconds, for messages: whole milliseconds below a second, then seconds with at most one decimal.
 *
 * @example toDurationText(20) // "20 ms"
 * @example toDurationText(90_500) // "90.5 s"
 */
export function toDurationText(ms: number): string {
  const whole = Math.round(ms);
  return whole < 1000 ? `${whole} ms` : `${Math.round(ms / 100) / 10} s`;
}
