import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Brings the rest of the SDK. The version is that of `package.json`.
 * @internal
 */
export const exporterPackage = "@opentelemetry/exporter-trace-otlp-proto@0.223.1";

/** What to do where OpenTelemetry is not installed for the server's package in this folder. */
export function describeMissing(folder: string): string {
  const missing =
    "Traces are turned on by OTEL_EXPORTER_OTLP_ENDPOINT, and OpenTelemetry, an optional package, is not installed.";
  const checkout = join(folder, "..", "..");
  if (existsSync(join(checkout, "VERSION"))) {
    return `${missing} Run this in ${checkout}: npm install --include=peer`;
  }
  const install = `npm install ${exporterPackage}`;
  return existsSync(join(folder, "package.json"))
    ? `${missing} Run this in the folder of your project: ${install}`
    : `${missing} Run this in the project that this program was compiled from, and compile it again: ${install}`;
}
