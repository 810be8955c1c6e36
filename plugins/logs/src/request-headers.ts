import type { HostContext } from "./config-fields.ts";
import { SetupError } from "./setup-error.ts";

/** What a request tells of its sender: all of it, the login alone, or nothing. */
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
    // A token pasted with a line break is sent, and may be echoed, without it.
    if (token !== saved) mask(token, { ofRow: true });
    if (!/^[\x21-\x7e]+$/.test(token)) throw new SetupError("token contains invalid characters");
    return `Bearer ${token}`;
  }
  const { Username = "", Password = "" } = config;
  if (Username === "") throw new SetupError("username is not set");
  if (Password === "") throw new SetupError("password is not set");
  if (Username.includes(":")) throw new SetupError("username holds a colon");
  const credentials = Buffer.from(`${Username}:${Password}`).toString("base64");
  // An echo of the whole header would otherwise keep the user name's end of the encoding.
  mask(credentials, { ofRow: true });
  return `Basic ${credentials}`;
}

/** The first name is the contract's, the second the one that hosts in the field read. */
function toOrgHeaders({ config }: HostContext): Record<string, string> {
  if (config.OrgID === undefined) throw new SetupError("org_id is not set");
  if (config.OrgID < 1) throw new SetupError("org_id must be a number from 1 on");
  const id = config.OrgID.toString();
  return { "x-dashboard-org-id": id, "x-grafana-org-id": id };
}
