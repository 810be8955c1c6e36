/** What people write for units, with their size: bytes, or seconds. A decimal unit of bytes is one of 1,000. */
const sizes: Readonly<Record<"bytes" | "seconds", Readonly<Record<string, number>>>> = {
  bytes: {
    b: 1,
    byte: 1,
    bytes: 1,
    kb: 1000,
    kib: 1024,
    mb: 1000 ** 2,
    mib: 1024 ** 2,
    gb: 1000 ** 3,
    gib: 1024 ** 3,
    tb: 1000 ** 4,
    tib: 1024 ** 4,
  },
  seconds: {
    ms: 0.001,
    s: 1,
    sec: 1,
    second: 1,
    seconds: 1,
    m: 60,
    min: 60,
    minute: 60,
    minutes: 60,
    h: 3600,
    hour: 3600,
    hours: 3600,
    d: 86_400,
    day: 86_400,
    days: 86_400,
    week: 604_800,
    weeks: 604_800,
  },
};

/**
 * The number of bytes or seconds that a text such as "1.5 MiB" or "30 days" means. Null if it has no unit, or is not a quantity.
 * Digits may be grouped by commas.
 */
export function readQuantity(kind: "bytes" | "seconds", text: string): number | null {
  const [, digits, unit] = /^\s*(\d[\d,]{0,20}(?:\.\d{1,6})?)\s*([a-z]{1,8})\s*$/i.exec(text) ?? [];
  const units = sizes[kind];
  const name = unit?.toLowerCase() ?? "";
  if (digits === undefined || !Object.hasOwn(units, name)) return null;
  return Number(digits.replaceAll(",", "")) * (units[name] ?? Number.NaN);
}
