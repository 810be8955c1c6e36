/** A time for `formatLayout`. The UTC fields of `local` are those of the zone. */
export type ZoneTime = { local: Date; offsetMinutes: number; zoneName: string };

/**
 * The parts of a layout of Go's `time` package: the time 2006-01-02 15:04:05 in the form that is
 * wanted. Other characters stay.
 */
const layoutPart =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|_2006|2006|__2|_2|2|3|4|5|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?!\d)/g;

export function formatLayout(layout: string, time: ZoneTime): string {
  return layout.replace(layoutPart, (part) => formatPart(part, time));
}

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function formatPart(part: string, { local, offsetMinutes, zoneName }: ZoneTime): string {
  const year = String(local.getUTCFullYear()).padStart(4, "0");
  const hour = local.getUTCHours();
  const hour12 = hour % 12 === 0 ? 12 : hour % 12;
  switch (part) {
    case "2006":
      return year;
    case "_2006":
      return `_${year}`;
    case "06":
      return year.slice(-2);
    case "January":
      return months[local.getUTCMonth()] ?? "";
    case "Jan":
      return (months[local.getUTCMonth()] ?? "").slice(0, 3);
    case "01":
      return toDigits(local.getUTCMonth() + 1, 2);
    case "1":
      return String(local.getUTCMonth() + 1);
    case "Monday":
      return days[local.getUTCDay()] ?? "";
    case "Mon":
      return (days[local.getUTCDay()] ?? "").slice(0, 3);
    case "02":
      return toDigits(local.getUTCDate(), 2);
    case "_2":
      return String(local.getUTCDate()).padStart(2);
    case "2":
      return String(local.getUTCDate());
    case "002":
      return toDigits(toDayOfYear(local), 3);
    case "__2":
      return String(toDayOfYear(local)).padStart(3);
    case "15":
      return toDigits(hour, 2);
    case "03":
      return toDigits(hour12, 2);
    case "3":
      return String(hour12);
    case "04":
      return toDigits(local.getUTCMinutes(), 2);
    case "4":
      return String(local.getUTCMinutes());
    case "05":
      return toDigits(local.getUTCSeconds(), 2);
    case "5":
      return String(local.getUTCSeconds());
    case "PM":
      return hour >= 12 ? "PM" : "AM";
    case "pm":
      return hour >= 12 ? "pm" : "am";
    case "MST":
      return zoneName;
  }
  const isOffset = part.startsWith("-") || part.startsWith("Z");
  return isOffset ? formatOffset(part, offsetMinutes) : formatFraction(part, local);
}

function formatOffset(part: string, offsetMinutes: number): string {
  if (part.startsWith("Z") && offsetMinutes === 0) return "Z";
  const minutes = Math.abs(offsetMinutes);
  const digits = [Math.floor(minutes / 60), minutes % 60, 0].map((one) => toDigits(one, 2));
  // The fields of the layout say how many parts the offset has: -07, -0700 or -070000.
  const count = part.replaceAll(":", "").slice(1).length / 2;
  const separator = part.includes(":") ? ":" : "";
  return (offsetMinutes < 0 ? "-" : "+") + digits.slice(0, count).join(separator);
}

/** Fractions of a second: `.000` with all digits, `.999` without zeros at the end. */
function formatFraction(part: string, local: Date): string {
  const all = toDigits(local.getUTCMilliseconds(), 3).padEnd(part.length - 1, "0");
  const digits = all.slice(0, part.length - 1);
  if (part[1] === "0") return part[0] + digits;
  const kept = digits.slice(0, 3).replace(/0+$/, "");
  return kept === "" ? "" : part[0] + kept;
}

function toDayOfYear(local: Date): number {
  const first = new Date(local);
  first.setUTCMonth(0, 1);
  return Math.round((local.getTime() - first.getTime()) / 86_400_000) + 1;
}

function toDigits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}
