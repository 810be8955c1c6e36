import type { RowConfig } from "../config-fields.ts";

/** The fields that must be set before requests with a login; null if all are set. */
export function findPrerequisite(config: RowConfig): string | null {
  if (config.BaseURL === undefined) return "Set base_url and save the row first.";
  if (config.AuthMode === "token") {
    return config.Token === undefined ? "Set token and save the row first." : null;
  }
  if (config.Username !== undefined && config.Password !== undefined) return null;
  return "Set username and password, or auth_mode token and token, and save the row first.";
}
