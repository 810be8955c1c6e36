import { z } from "zod";
import { stripInvisible } from "../lib/text/strip-invisible.ts";
import { findRedirectTarget } from "./redirect-uri.ts";

const nameLengthMax = 100;
const redirectUrisMax = 20;
/** All redirect URIs of a client together. Strangers can fill the database with them. */
const redirectUriCharsMax = 8_000;

const metadataSchema = z.object({
  redirect_uris: z.array(z.string()).min(1).max(redirectUrisMax),
  client_name: z.string().optional(),
});

/** The stored part of a client's metadata. All clients are public and get the same options. */
export type ClientMetadata = {
  redirect_uris: string[];
  client_name: string;
  application_type: "native" | "web";
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: "none";
};

export type MetadataFault = {
  error: "invalid_redirect_uri" | "invalid_client_metadata";
  error_description: string;
};

/**
 * Reads a registration or a metadata document. The hub keeps only names and redirect URIs, and sets
 * all other members itself, as RFC 7591 allows: keys, logos and sector identifiers would each cause
 * another fetch.
 */
export function readClientMetadata(given: unknown): ClientMetadata | MetadataFault {
  const parsed = metadataSchema.safeParse(given);
  if (!parsed.success) {
    return {
      error: "invalid_client_metadata",
      error_description: `redirect_uris must be a list of 1 to ${redirectUrisMax} URIs, and client_name must be a string.`,
    };
  }
  const { redirect_uris, client_name = "" } = parsed.data;
  if (redirect_uris.join("").length > redirectUriCharsMax) {
    return {
      error: "invalid_redirect_uri",
      error_description: `The redirect URIs may have ${redirectUriCharsMax} characters together. Register fewer or shorter ones.`,
    };
  }
  const targets = redirect_uris.map(findRedirectTarget);
  if (targets.includes(null)) {
    return {
      error: "invalid_redirect_uri",
      error_description:
        "A redirect URI must use https, http to a loopback host (localhost, 127.0.0.1 or [::1]), or the app's own scheme, such as cursor: or com.example.app:. Schemes that browsers or systems interpret, such as javascript:, data: or file:, are refused. It must not have a fragment, a user name or a password.",
    };
  }
  const isWeb = redirect_uris.every((uri) => /^https:/i.test(uri));
  return {
    redirect_uris,
    client_name: toShownName(client_name),
    // For the provider, `native` means that a client chooses the port of its loopback address.
    application_type: isWeb ? "web" : "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** One line of bounded length, without characters that hide or reverse other text. */
function toShownName(name: string): string {
  const visible = stripInvisible(name).replace(/\s+/g, " ").trim();
  return [...visible].slice(0, nameLengthMax).join("") || "Unnamed client";
}
