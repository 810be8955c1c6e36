import { z } from "zod";
import { findKeyId, openAtRest, sealAtRest } from "../../../secrets/at-rest/at-rest.ts";
import { toConnectionLocation } from "../../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";

const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  response_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
  token_endpoint_auth_methods_supported: z.array(z.string()),
});

/** What is kept of an authorization server's metadata. Later requests go to these addresses only. */
export type ServerMetadata = z.infer<typeof metadataSchema>;

const clientSchema = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** The hub as a client of an authorization server. */
export type OAuthClient = z.infer<typeof clientSchema>;

const secretsSchema = z.object({
  metadata: metadataSchema,
  client: clientSchema,
  resource: z.string(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
});

/** What is sealed of a row's connection. */
export type ConnectionSecrets = z.infer<typeof secretsSchema>;

const attemptSchema = z.object({
  metadata: metadataSchema,
  client: clientSchema,
  resource: z.string(),
  scope: z.string().nullable(),
  address: z.string(),
  redirectUri: z.string(),
  codeVerifier: z.string(),
});

/** A sign-in that is under way. */
export type Attempt = z.infer<typeof attemptSchema>;

export const readAttempt = (value: unknown): Attempt => attemptSchema.parse(value);

export function sealConnection(
  ring: KeyRing,
  rowId: string,
  secrets: ConnectionSecrets,
): Uint8Array {
  return sealAtRest(ring, toConnectionLocation(rowId), JSON.stringify(secrets));
}

/** Throws `bad_configuration` if the hub does not have the key. */
export async function openConnection(
  ring: RingHolder,
  rowId: string,
  sealed: Uint8Array,
): Promise<ConnectionSecrets> {
  const keyId = findKeyId(sealed);
  const isKnown = keyId !== null && ring.current().keys.has(keyId);
  // Another process may have rotated the keys.
  const keys = isKnown ? ring.current() : await ring.reload();
  return secretsSchema.parse(JSON.parse(openAtRest(keys, toConnectionLocation(rowId), sealed)));
}
