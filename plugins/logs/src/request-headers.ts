import { SetupError } from "@hub/connector";
import type { HostContext } from "./logs-config-fields.ts";

/** The identity that a request sends: login and organisation, only the login, or nothing. */
export type Identity = "login-and-org" | "login" | "none";

export function toRequestHeaders(ctx: HostContext, identity: Identity): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": "hub-logs",
    ...(identity !== "none" && { authorization: toAuthorization(ctx) }),
    ...(identity === "login-and-org" && toOrgHeaders(ctx)),
  };
}

function toAuthorization({ config, mask }: HostContext): string {
  if (config.AuthMode === "token") {
    const saved = config.Token ?? "";
    const token = saved.trim();
    if (token === "") throw new SetupError("token is not set");
    // A line break from pasting is removed before the token is sent and masked.
    if (token !== saved) mask(token, { ofRow: true });
    if (!/^[\x21-\x7e]+$/.test(token)) throw new SetupError("token contains invalid characters");
    return `Bearer ${token}`;
  }
  const { Username = "", Password = "" } = config;
  if (Username === "") throw new SetupError("username is not set");
  if (Password === "") throw new SetupError("password is not set");
  if (Username.includes(":")) throw new SetupError("username contains a colon");
  const credentials = Buffer.from(`${Username}:${Password}`).toString("base64");
  // Also masks the encoded pair. Otherwise an echo of the header would show part of its encoding.
  mask(credentials, { ofRow: true });
  return `Basic ${credentials}`;
}

/** The first name is that of the specification; real hosts read the second. */
function toOrgHeaders({ config }: HostContext): Record<string, string> {
  if (config.OrgID === undefined) throw new SetupError("org_id is not set");
  if (config.OrgID < 1) throw new SetupError("org_id must be a number from 1 on");
  const id = config.OrgID.toString();
  return { "x-dashboard-org-id": id, "x-grafana-org-id": id };
}
