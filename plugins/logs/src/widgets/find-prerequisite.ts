import type { RowConfig } from "../logs-config-fields.ts";

/** The fields that must be set before requests with a login; null if all are set. */
export function findPrerequisite(config: RowConfig): string | null {
  if (config.BaseURL === undefined) return "Set Base URL and save the row first.";
  if (config.AuthMode === "token") {
    return config.Token === undefined ? "Set Token and save the row first." : null;
  }
  if (config.Username !== undefined && config.Password !== undefined) return null;
  return "Set Username and Password, or Auth mode token and Token, and save the row first.";
}
