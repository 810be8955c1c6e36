import type { OutboundPolicy } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../../errors.ts";

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
};

const valuesSchema = z.object({
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
  policy: OutboundPolicy,
): ConnectTarget {
  const { transport, url = "", client_id, client_secret, scopes, secrets } = read(values);
  if (!usesOAuth(new Map(Object.entries(values)))) {
    throw refuse("The row does not use OAuth. Set auth_mode to oauth first.");
  }
  if (!URL.canParse(url)) throw refuse("The row has no address. Set url first.");
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
  };
}

/** An address as it is stored and compared. A fragment is never sent. */
export function toAddressText(address: URL): string {
  const url = new URL(address);
  url.hash = "";
  return url.href;
}

function read(values: Readonly<Record<string, unknown>>) {
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
