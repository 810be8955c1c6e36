import { z } from "zod";
import { parseTokenBounds, type TokenBounds } from "../../lib/call-bounds.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { TrustedIssuerKind } from "../database/tables/machine-tables.ts";
import type { Tables } from "../database/tables.ts";

/** What a claim must be: exactly a value, or one with a fixed beginning. */
export const claimConditionSchema = z.union([
  z.strictObject({ claim: z.string(), value: z.string() }),
  z.strictObject({ claim: z.string(), prefix: z.string() }),
]);

export type ClaimCondition = z.output<typeof claimConditionSchema>;

const conditionsSchema = z.array(claimConditionSchema);

/** An issuer whose signed assertions open the hub. */
export type TrustedIssuer = {
  id: string;
  name: string;
  /** As in its assertions. */
  issuer: string;
  kind: TrustedIssuerKind;
  /** Where its keys are. Null: where its metadata says. */
  jwksUri: string | null;
  /** What its assertions are made for. Null: the token endpoint, or for `id_jag` the hub's issuer. */
  audience: string | null;
  conditions: ClaimCondition[];
  /** The service user as whom a workload calls. Null for `id_jag`. */
  userId: string | null;
  bounds: TokenBounds | null;
  createdBy: string;
  createdAt: number;
  lastUsedAt: number | null;
};

export type NewTrustedIssuer = Omit<TrustedIssuer, "lastUsedAt">;

export async function insertTrustedIssuer(db: Db, trusted: NewTrustedIssuer): Promise<void> {
  await toKysely(db)
    .insertInto("trusted_issuers")
    .values({
      id: trusted.id,
      name: trusted.name,
      issuer: trusted.issuer,
      kind: trusted.kind,
      jwks_uri: trusted.jwksUri,
      audience: trusted.audience,
      conditions: JSON.stringify(trusted.conditions),
      user_id: trusted.userId,
      bounds: trusted.bounds === null ? null : JSON.stringify(trusted.bounds),
      created_by: trusted.createdBy,
      created_at: trusted.createdAt,
      last_used_at: null,
    })
    .execute();
}

/** Oldest first: all, those of one issuer, or those of a service user. */
export async function listTrustedIssuers(
  db: Db,
  { issuer, userId }: { issuer?: string | undefined; userId?: string | undefined } = {},
): Promise<TrustedIssuer[]> {
  const found = await toKysely(db)
    .selectFrom("trusted_issuers")
    .select(tableColumns.trusted_issuers)
    .$if(issuer !== undefined, (query) => query.where("issuer", "=", issuer ?? ""))
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return found.map(toTrustedIssuer);
}

export async function findTrustedIssuer(db: Db, id: string): Promise<TrustedIssuer | null> {
  const found = await toKysely(db)
    .selectFrom("trusted_issuers")
    .select(tableColumns.trusted_issuers)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toTrustedIssuer(found);
}

/** False if it does not exist. */
export async function deleteTrustedIssuer(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("trusted_issuers")
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Records a use. False if it is not trusted any more. */
export async function touchTrustedIssuer(db: Db, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("trusted_issuers")
    .set({ last_used_at: at })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toTrustedIssuer(trusted: Tables["trusted_issuers"]): TrustedIssuer {
  return {
    id: trusted.id,
    name: trusted.name,
    issuer: trusted.issuer,
    kind: trusted.kind,
    jwksUri: trusted.jwks_uri,
    audience: trusted.audience,
    conditions: conditionsSchema.parse(JSON.parse(trusted.conditions)),
    userId: trusted.user_id,
    bounds: trusted.bounds === null ? null : parseTokenBounds(trusted.bounds),
    createdBy: trusted.created_by,
    createdAt: trusted.created_at,
    lastUsedAt: trusted.last_used_at,
  };
}
