import { formatBytes, formatDuration, formatNumber, formatSpan } from "../../ui/text/format.ts";
import { readQuantity } from "../../ui/text/read-quantity.ts";

/** Parts of variables that are no words. */
const names: Readonly<Record<string, string>> = {
  api: "API",
  ca: "CA",
  db: "database",
  dir: "folder",
  enc: "encryption",
  http: "HTTP",
  id: "ID",
  ip: "IP",
  mcp: "MCP",
  oauth: "OAuth",
  oidc: "OpenID Connect",
  otel: "OpenTelemetry",
  sso: "single sign-on",
  tls: "TLS",
  url: "URL",
  urls: "URLs",
};
const units = /_(bytes|ms|s|seconds|minutes|hours|days)(?=(?:_max|_min|_per_day)?$)/i;
const secondsOf: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};
/** Counts, of which large ones are grouped. A port is none. */
const counts = /_(?:at_once|chars|guesses|max|per_day|per_minute)$/i;

/** What people read for a variable: "Audit retention" for HUB_AUDIT_RETENTION_DAYS. */
export function toSettingLabel(variable: string): string {
  const words = variable
    .replace(/^HUB_/, "")
    .replace(/_bytes(?=_max$|_per_day$)/i, "_size")
    .replace(units, "")
    .toLowerCase()
    .split("_", 20)
    .map((word) => names[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A value with its unit, as people write it: "1 MiB", "90 days", "No limit" where the description says
 * that 0 is none. Others stay as they are.
 */
export function formatSettingValue(variable: string, value: string, description = ""): string {
  if (value === "0" && /0 (?:is|means) no limit/.test(description)) return "No limit";
  if (!/^\d{1,15}$/.test(value)) return value;
  const count = Number(value);
  const unit = findUnit(variable);
  if (unit === undefined) return counts.test(variable) ? formatNumber(count) : value;
  if (unit === "bytes") return formatBytes(count);
  return unit === "ms" ? formatDuration(count) : formatSpan(count * (secondsOf[unit] ?? 1));
}

/** The value that a text with a unit or grouped digits means, such as "1048576" for "1 MiB". Other texts stay as they are. */
export function readSettingValue(variable: string, text: string): string {
  const typed = text.trim();
  const unit = findUnit(variable);
  if (/^\d{1,3}(?:,\d{3})+$/.test(typed)) return typed.replaceAll(",", "");
  if (unit === undefined) return typed;
  const read = readQuantity(unit === "bytes" ? "bytes" : "seconds", typed);
  if (read === null) return typed;
  const count = unit === "bytes" ? read : read / (secondsOf[unit] ?? 1);
  const whole = Math.round(count);
  return Math.abs(count - whole) < 1e-6 ? String(whole) : typed;
}

/** The value as it is written in an input: with its unit, if that means exactly the same. */
export function toWrittenValue(variable: string, value: string): string {
  const written = formatSettingValue(variable, value);
  return readSettingValue(variable, written) === value ? written : value;
}

/** A refusal of the API, with the label for the variable and with units. */
export function describeRefusal(variable: string, message: string): string {
  return message
    .replaceAll(variable, toSettingLabel(variable))
    .replace(/\d{4,15}/g, (number) => formatSettingValue(variable, number))
    .replace(/a whole number from (?=\S+ [KMGT]iB)/, "from ");
}

function findUnit(variable: string): string | undefined {
  return units.exec(variable)?.[1]?.toLowerCase();
}
