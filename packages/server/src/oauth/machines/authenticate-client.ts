import type { JSONWebKeySet } from "jose";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { createTrustedProxies } from "../../lib/network/trusted-proxies.ts";
import { isSameBytes } from "../../lib/text/is-same-bytes.ts";
import type { Db } from "../../store/database/database.ts";
import {
  findMachineClient,
  type MachineClient,
} from "../../store/machines/machine-clients-table.ts";
import { useTokenId } from "../../store/users/used-token-ids.ts";
import { oauthPaths } from "../endpoints.ts";
import type { TokenParams } from "./read-token-params.ts";
import { TokenRefusal } from "./token-refusal.ts";
import { readUnverified, verifyAssertion } from "./verify-assertion.ts";

type ClientDeps = { db: Db; now(): number; baseUrl: string };

/** A token request, as the endpoint got it. */
export type ClientRequest = {
  params: TokenParams;
  /** The header `Authorization`. */
  authorization: string | null;
  ip: string | null;
};

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A client's assertion lives as long as a request. */
const lifetimeSecondsMax = 3_600;

/** The registered client that makes a request. Throws `invalid_client`, the same for all that is wrong with it. */
export async function authenticateClient(
  deps: ClientDeps,
  request: ClientRequest,
): Promise<MachineClient> {
  const proof = readProof(request);
  const id = proof.kind === "secret" ? proof.id : await readClientId(proof.assertion);
  const client = idForm.test(id) ? await findMachineClient(deps.db, id) : null;
  if (client === null) throw refuse();
  const named = request.params.get("client_id");
  if (named !== undefined && named !== client.id) throw refuse();
  if (client.expiresAt !== null && client.expiresAt <= deps.now()) throw refuse();
  const isItself =
    proof.kind === "secret"
      ? client.secretHash !== null && isSameBytes(hashToken(proof.secret), client.secretHash)
      : await hasSigned(deps, client, proof.assertion);
  if (!isItself || !isAllowedAddress(client, request.ip)) throw refuse();
  return client;
}

type Proof =
  | { kind: "secret"; id: string; secret: string }
  | { kind: "assertion"; assertion: string };

/** A request has one kind of proof. With several, two readers could take different ones. */
function readProof({ params, authorization }: ClientRequest): Proof {
  const proofs: Proof[] = [];
  const basic = readBasic(authorization);
  if (basic !== null) proofs.push({ kind: "secret", ...basic });
  const secret = params.get("client_secret");
  if (secret !== undefined) {
    proofs.push({ kind: "secret", id: params.get("client_id") ?? "", secret });
  }
  const assertion = params.get("client_assertion");
  if (assertion !== undefined) {
    if (params.get("client_assertion_type") !== assertionType) throw refuse();
    proofs.push({ kind: "assertion", assertion });
  }
  const [proof, ...others] = proofs;
  if (proof === undefined) throw refuse();
  if (others.length > 0) {
    throw new TokenRefusal("invalid_request", "use one way to authenticate the client");
  }
  return proof;
}

/** RFC 6749, section 2.3.1: both parts are form-encoded. */
function readBasic(header: string | null): { id: string; secret: string } | null {
  const encoded = /^basic +([a-z0-9+/=]+)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw refuse();
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    throw refuse();
  }
}

async function readClientId(assertion: string): Promise<string> {
  return (await readUnverified(assertion).catch(() => null))?.issuer ?? "";
}

/** RFC 7523, section 3: by a key of the client, about itself, for this server, and once. */
async function hasSigned(
  { db, now, baseUrl }: ClientDeps,
  { id, jwks }: MachineClient,
  assertion: string,
): Promise<boolean> {
  if (jwks === null) return false;
  // The service checked it when the client was registered.
  const keys = JSON.parse(jwks) as JSONWebKeySet;
  const audiences = [baseUrl, `${baseUrl}${oauthPaths.token}`];
  const expected = { issuer: id, audiences, now: now(), lifetimeSecondsMax };
  const claims = await verifyAssertion(assertion, async () => keys, expected).catch(() => null);
  if (claims === null || claims.sub !== id || typeof claims.jti !== "string") return false;
  const expiresAt = (claims.exp + 60) * 1000;
  return await useTokenId(db, { issuer: `client:${id}`, id: claims.jti, expiresAt });
}

function isAllowedAddress({ bounds }: MachineClient, ip: string | null): boolean {
  const addresses = bounds?.addresses;
  return addresses === undefined || (ip !== null && createTrustedProxies(addresses)(ip));
}

function refuse(): TokenRefusal {
  return new TokenRefusal("invalid_client", "the client is unknown, or its proof is not valid");
}
