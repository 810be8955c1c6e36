import { z } from "zod";
import { openAtRest, type SecretLocation, sealAtRest } from "../../../secrets/at-rest/at-rest.ts";
import { findRing } from "../../../secrets/at-rest/find-ring.ts";
import { toConnectionLocation } from "../../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";

/** How tokens are ended: by RFC 7009, or as providers do that came before it. */
export const revocationKinds = ["standard", "delete_grant", "bearer", "json"] as const;

const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  response_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  /** The row named the addresses, so there is no metadata document that the server vouches for. */
  is_given: z.literal(true).optional(),
  /** Whether the answer of a sign-in may name its issuer, and must name this one. */
  has_known_issuer: z.boolean().optional(),
  /** Requests have a JSON body. */
  sends_json: z.literal(true).optional(),
  revocation_kind: z.enum(revocationKinds).optional(),
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
  /** Null for a server that takes none. */
  resource: z.string().nullable(),
  /** The row's address. Absent of a row's connection, which stores it beside. */
  address: z.string().optional(),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
});

/** What is sealed of a row's connection. */
export type ConnectionSecrets = z.infer<typeof secretsSchema>;

const attemptSchema = z.object({
  metadata: metadataSchema,
  client: clientSchema,
  resource: z.string().nullable(),
  scope: z.string().nullable(),
  address: z.string(),
  redirectUri: z.string(),
  codeVerifier: z.string(),
});

/** A sign-in that is under way. */
export type Attempt = z.infer<typeof attemptSchema>;

/** Throws if the value is none. */
export const readClient = (value: unknown): OAuthClient => clientSchema.parse(value);

export const readAttempt = (value: unknown): Attempt => attemptSchema.parse(value);

export function sealConnection(
  ring: KeyRing,
  rowId: string,
  secrets: ConnectionSecrets,
): Uint8Array {
  return sealTokens(ring, toConnectionLocation(rowId), secrets);
}

export function sealTokens(
  ring: KeyRing,
  location: SecretLocation,
  secrets: ConnectionSecrets,
): Uint8Array {
  return sealAtRest(ring, location, JSON.stringify(secrets));
}

/** Throws `bad_configuration` if the hub does not have the key. */
export async function openConnection(
  ring: RingHolder,
  rowId: string,
  sealed: Uint8Array,
): Promise<ConnectionSecrets> {
  return await openTokens(ring, toConnectionLocation(rowId), sealed);
}

/** Throws `bad_configuration` if the hub does not have the key. */
export async function openTokens(
  ring: RingHolder,
  location: SecretLocation,
  sealed: Uint8Array,
): Promise<ConnectionSecrets> {
  const keys = await findRing(ring, sealed);
  return secretsSchema.parse(JSON.parse(openAtRest(keys, location, sealed)));
}
