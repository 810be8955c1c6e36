import {
  claimConditionSchema,
  type TrustedIssuer,
  trustedIssuerKindSchema,
} from "@hub/contract/machine.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput, lineSchema } from "../../lib/input/check-input.ts";
import { isSecureAddress } from "../../settings/setting.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import {
  deleteTrustedIssuer,
  findTrustedIssuer,
  insertTrustedIssuer,
  listTrustedIssuers as listStoredIssuers,
  type TrustedIssuer as StoredIssuer,
} from "../../store/machines/trusted-issuers-table.ts";
import { deleteMachineGrants } from "../../store/oauth/machine-grants.ts";
import { findUserById } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "../users/check-gives-access.ts";
import { toBounds } from "../users/manage-tokens.ts";
import { newBoundsSchema } from "../users/new-bounds.ts";
import { checkConditions } from "./check-conditions.ts";
import { loadServiceUser } from "./manage-service-users.ts";

type IssuerDeps = Pick<ServiceDeps, "store" | "now">;

const issuersMax = 500;
const conditionsMax = 10;

const addressSchema = z.string().max(500).refine(isSecureAddress, {
  error: "must be an https address, such as https://token.example.com.",
});

const newIssuerSchema = z.strictObject({
  name: lineSchema(100),
  kind: trustedIssuerKindSchema.default("workload"),
  /** As in the member `iss` of its assertions. */
  issuer: addressSchema,
  /** Without it, the issuer's metadata names its keys. */
  jwksUri: addressSchema.optional(),
  /** Of a workload. Without it, the token endpoint. */
  audience: lineSchema(500).optional(),
  conditions: z.array(claimConditionSchema).max(conditionsMax).default([]),
  /** The id of the service user of a workload. */
  serviceUser: z.string().optional(),
  bounds: newBoundsSchema.optional(),
});

export type NewTrustedIssuerInput = z.input<typeof newIssuerSchema>;

/**
 * Trusts an issuer. A registration is never changed: make another one, and delete this. The caller checks that an admin asks,
 * by no token.
 */
export async function addTrustedIssuer(
  deps: IssuerDeps,
  actor: Actor,
  input: NewTrustedIssuerInput,
): Promise<TrustedIssuer> {
  checkGivesAccess(actor);
  const given = checkInput(newIssuerSchema, input);
  const { name, kind, issuer, audience = null, conditions, bounds = null } = given;
  checkKind(given);
  checkConditions({ issuer, kind, conditions });
  const createdAt = deps.now();
  const stamp = stampChange(actor, createdAt);
  const id = crypto.randomUUID();
  return await transaction(deps.store.db, async (trx) => {
    if ((await listStoredIssuers(trx)).length >= issuersMax) {
      throw new HubError("conflict", `A hub trusts at most ${issuersMax} issuers. Delete one.`);
    }
    const { serviceUser, jwksUri = null } = given;
    const user = serviceUser === undefined ? null : await loadServiceUser(trx, serviceUser);
    const trusted: StoredIssuer = {
      id,
      name,
      issuer,
      kind,
      jwksUri,
      audience,
      conditions,
      userId: user?.id ?? null,
      bounds,
      createdBy: actor.email,
      createdAt,
      lastUsedAt: null,
    };
    await insertTrustedIssuer(trx, trusted);
    const detail = {
      issuer,
      kind,
      conditions,
      service_user: user?.name ?? null,
      ...(bounds && { bounds }),
    };
    await recordChange(trx, stamp, {
      action: "trusted_issuer.create",
      kind: "application",
      id,
      name,
      detail,
    });
    return toIssuer(trusted, user?.name ?? null);
  });
}

/** Oldest first. */
export async function listTrustedIssuers({
  store,
}: Pick<IssuerDeps, "store">): Promise<TrustedIssuer[]> {
  const issuers = await listStoredIssuers(store.db);
  return await Promise.all(issuers.map((trusted) => present(store.db, trusted)));
}

/** Ends the trust. Tokens that came of it are refused from the next request on. */
export async function removeTrustedIssuer(
  deps: IssuerDeps,
  actor: Actor,
  id: string,
): Promise<TrustedIssuer> {
  const stamp = stampChange(actor, deps.now());
  return await transaction(deps.store.db, async (trx) => {
    const trusted = await findTrustedIssuer(trx, id.toLowerCase());
    if (trusted === null) throw new HubError("not_found", "There is no such trusted issuer.");
    const shown = await present(trx, trusted);
    await deleteTrustedIssuer(trx, trusted.id);
    await deleteMachineGrants(trx, `issuer:${trusted.id}`);
    const { name } = trusted;
    const change = {
      action: "trusted_issuer.delete",
      kind: "application",
      id: trusted.id,
    } as const;
    await recordChange(trx, stamp, { ...change, name });
    return shown;
  });
}

function checkKind({ kind, serviceUser, audience }: z.output<typeof newIssuerSchema>): void {
  if (kind === "workload") {
    if (serviceUser !== undefined) return;
    throw new HubError("bad_request", "Name the service user as whom the workload calls.");
  }
  if (serviceUser === undefined && audience === undefined) return;
  throw new HubError(
    "bad_request",
    "An issuer of users has neither a service user nor an audience: the user is in the assertion, and the audience is this hub.",
  );
}

async function present(db: Db, trusted: StoredIssuer): Promise<TrustedIssuer> {
  const { userId } = trusted;
  return toIssuer(
    trusted,
    userId === null ? null : ((await findUserById(db, userId))?.name ?? null),
  );
}

function toIssuer(trusted: StoredIssuer, serviceUser: string | null): TrustedIssuer {
  const { id, name, issuer, kind, audience, conditions, bounds, lastUsedAt } = trusted;
  return {
    id,
    name,
    issuer,
    kind,
    jwks_uri: trusted.jwksUri,
    audience,
    conditions,
    service_user: serviceUser,
    bounds: bounds === null ? null : toBounds(bounds),
    created_by: trusted.createdBy,
    created_at: toTimeText(trusted.createdAt),
    last_used_at: lastUsedAt === null ? null : toTimeText(lastUsedAt),
  };
}
