import { formatBytes, formatDuration, formatNumber } from "../../ui/text/format.ts";

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
const units = /_(bytes|ms|s|seconds|minutes|hours|days)(?=_max$|$)/i;

/** What people read for a variable: "Audit retention" for HUB_AUDIT_RETENTION_DAYS. */
export function toSettingLabel(variable: string): string {
  const words = variable
    .replace(/^HUB_/, "")
    .replace(/_bytes_max$/i, "_size_max")
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
  if (value === "0" && description.includes("0 is no limit")) return "No limit";
  const unit = units.exec(variable)?.[1]?.toLowerCase();
  if (unit === undefined || !/^\d{1,15}$/.test(value)) return value;
  const count = Number(value);
  if (unit === "bytes") return formatBytes(count);
  if (unit === "ms") return formatDuration(count);
  const name = unit === "s" ? "seconds" : unit;
  return `${formatNumber(count)} ${count === 1 ? name.slice(0, -1) : name}`;
}
