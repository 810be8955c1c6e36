import type { OutboundPolicy } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { revocationKinds } from "./connection-secrets.ts";

/** The authorization server that a row names by its addresses, where there is no discovery. */
export type GivenServer = {
  authorizeUrl: string;
  tokenUrl: string;
  /** Null if sign-ins do not say it. */
  issuer: string | null;
  clientAuth: "basic" | "post" | "basic_json";
  revocation: { url: string; kind: "standard" | "delete_grant" | "bearer" | "json" } | null;
};

/** What a sign-in needs of a row. */
export type ConnectTarget = {
  /** The address of the MCP server. */
  address: URL;
  transport: "http" | "sse";
  /** Registered by hand; null if the hub registers itself. */
  client: { id: string; secret: string | null } | null;
  /** Separated by spaces; null for those that the server names. */
  scope: string | null;
  policy: OutboundPolicy;
  /** Null if the address itself says who authorizes. */
  given: GivenServer | null;
  /** Of the row, which is a part of the redirect URI if `given` is set. */
  rowId: string;
};

const valuesSchema = z.object({
  base_url: z.string().optional(),
  authorize_url: z.string().optional(),
  token_url: z.string().optional(),
  issuer: z.string().optional(),
  client_auth: z.enum(["basic", "post", "basic_json"]).default("basic"),
  revoke_url: z.string().optional(),
  revoke_method: z.enum(revocationKinds).default("standard"),
  transport: z.string().optional(),
  url: z.string().optional(),
  auth_mode: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scopes: z.string().optional(),
  secrets: z.string().optional(),
});

/** Whether a row with these values authenticates by OAuth. */
export function usesOAuth(values: ReadonlyMap<string, unknown>): boolean {
  return values.get("auth_mode") === "oauth" && values.get("transport") !== "stdio";
}

/** Throws `bad_request` if a row with these values cannot be connected. */
export function readConnectTarget(
  values: Readonly<Record<string, unknown>>,
  { policy, rowId }: Pick<ConnectTarget, "policy" | "rowId">,
): ConnectTarget {
  const read = readValues(values);
  const { transport, client_id, client_secret, scopes, secrets } = read;
  const given = readGivenServer(read);
  // Without an address of its own, the connector has one, which the authorization server stands for.
  const url = given === null ? (read.url ?? "") : read.base_url || given.authorizeUrl;
  if (!usesOAuth(new Map(Object.entries(values)))) {
    throw refuse("The row does not use OAuth. Set auth_mode to oauth first.");
  }
  if (!URL.canParse(url)) throw refuse("The row has no address. Set its address first.");
  // The authorization server is told the address.
  if (secrets !== undefined && url.includes("${")) {
    throw refuse(
      "A row with a secret in its address cannot use OAuth. Remove the secret from url.",
    );
  }
  const address = new URL(url);
  const id = client_id?.trim() ?? "";
  return {
    address,
    transport: transport === "sse" ? "sse" : "http",
    client: id === "" ? null : { id, secret: client_secret || null },
    scope: readScope(scopes),
    policy,
    given,
    rowId,
  };
}

/** Null for a row whose address says who authorizes. */
function readGivenServer(read: z.infer<typeof valuesSchema>): GivenServer | null {
  const { authorize_url: authorizeUrl = "", token_url: tokenUrl = "", url } = read;
  if (url !== undefined && authorizeUrl === "") return null;
  if (authorizeUrl === "" || tokenUrl === "") {
    throw refuse("The row has no authorization server. Set authorize_url and token_url first.");
  }
  const { issuer, client_auth: clientAuth, revoke_url: revokeUrl = "" } = read;
  return {
    authorizeUrl,
    tokenUrl,
    issuer: issuer?.trim() || null,
    clientAuth,
    revocation: revokeUrl === "" ? null : { url: revokeUrl, kind: read.revoke_method },
  };
}

/** An address as it is stored and compared. A fragment is never sent. */
export function toAddressText(address: URL): string {
  const url = new URL(address);
  url.hash = "";
  return url.href;
}

function readValues(values: Readonly<Record<string, unknown>>) {
  const parsed = valuesSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw refuse("The row's settings cannot be read. Save them again.");
}

function readScope(text: string | undefined): string | null {
  const scopes = (text ?? "").split(/[\s,]+/).filter((one) => one !== "");
  const wrong = scopes.find((one) => !isScope(one));
  if (wrong !== undefined)
    throw refuse("The row's field scopes has a character that scopes cannot have.");
  return scopes.length === 0 ? null : scopes.join(" ");
}

/** RFC 6749, section 3.3. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(text);
}

function refuse(message: string): HubError {
  return new HubError("bad_request", message);
}
