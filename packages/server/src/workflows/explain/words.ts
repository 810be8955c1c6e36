/** `a`, `a and b`, `a, b and c`; with more than `shownMax`, the rest is counted. */
export function toList(
  items: readonly string[],
  word: "and" | "or" = "and",
  shownMax = 12,
): string {
  const shown = items.length > shownMax ? items.slice(0, shownMax) : items;
  const more = items.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} ${word} ${last}`;
}

/** `1 step`, `2 steps`. */
export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** A length of time: `90 seconds` is `1 minute 30 seconds`. */
export function toDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [name, length] of [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
  ] as const) {
    const count = Math.floor(rest / length);
    if (count > 0) parts.push(toCount(count, name));
    rest -= count * length;
  }
  if (rest > 0 || parts.length === 0) parts.push(toCount(Math.round(rest * 1000) / 1000, "second"));
  return parts.join(" ");
}

/** `1st`, `22nd`, `13th`. */
export function toOrdinal(number: number): string {
  const last = number % 10;
  const isTeen = Math.floor(number / 10) % 10 === 1;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][last] ?? "th");
  return `${number}${ending}`;
}
