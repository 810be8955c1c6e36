import type { Application } from "@hub/contract/application.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { findRedirectTarget } from "../../oauth/redirect-uri.ts";
import { transaction } from "../../store/database/database.ts";
import {
  countOAuthGrants,
  deleteOAuthGrant,
  findOAuthGrant,
  listOAuthGrantPage,
  listOAuthGrants,
  type OAuthGrant,
  type OAuthGrantFilter,
} from "../../store/oauth/oauth-grants.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";

type ApplicationDeps = Pick<ServiceDeps, "store" | "now">;

/** The OAuth clients that one user or all users connected, oldest first. */
export async function listApplications(
  { store, now }: ApplicationDeps,
  filter: { userId?: string | undefined } = {},
): Promise<Application[]> {
  const { userId } = filter;
  if (userId !== undefined) await loadUser(store.db, userId);
  const owner = userId === undefined ? {} : { userId };
  const grants = await listOAuthGrants(store.db, { now: now(), ...owner });
  const emails = await findEmails(
    store.db,
    grants.map((one) => one.userId),
  );
  return grants.map((grant) => toApplication(grant, emails.get(grant.userId) ?? ""));
}

type ApplicationFilter = Pick<OAuthGrantFilter, "userId" | "text">;

/** One page of the OAuth clients that users connected and that match, in no order, and how many match. */
export async function listApplicationPage(
  { store, now }: ApplicationDeps,
  { userId, text, ...page }: PageInput & ApplicationFilter = {},
): Promise<Page<Application> & { total: number }> {
  const filter = { userId, text, now: now() };
  if (userId !== undefined) await loadUser(store.db, userId);
  const { items, next } = await readPage(page, {
    keyType: "string",
    read: (after, limit) => listOAuthGrantPage(store.db, { ...filter, after: after?.id, limit }),
    toCursor: ({ id }) => ({ key: "", id }),
  });
  const emails = await findEmails(
    store.db,
    items.map((one) => one.userId),
  );
  return {
    items: items.map((one) => toApplication(one, emails.get(one.userId) ?? "")),
    next,
    total: await countOAuthGrants(store.db, filter),
  };
}

/** Revokes the application's tokens at once. With `of`, only for an application of this user. */
export async function revokeApplication(
  { store, now }: ApplicationDeps,
  actor: Actor,
  grantId: string,
  { of }: { of?: string } = {},
): Promise<Application> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const grant = await findOAuthGrant(trx, grantId.toLowerCase());
    const isMissing = grant === null || grant.expiresAt <= stamp.changedAt;
    if (isMissing || (of !== undefined && grant.userId !== of)) {
      throw new HubError(
        "not_found",
        `There is no connected application "${grantId}". List the applications to see their ids.`,
      );
    }
    const { id, userId, clientName: name } = grant;
    const { email } = await loadUser(trx, userId);
    await deleteOAuthGrant(trx, id);
    const change = { action: "application.revoke", kind: "application", id, name } as const;
    await recordChange(trx, stamp, { ...change, detail: { user: email } });
    return toApplication(grant, email);
  });
}

function toApplication(grant: OAuthGrant, email: string): Application {
  return {
    id: grant.id,
    user: email,
    name: grant.clientName,
    client_id: grant.clientId,
    // A program gets tokens at the token endpoint alone.
    destination: grant.machine === null ? toDestination(grant.redirectUri) : "a program",
    connected_at: toTimeText(grant.createdAt),
    last_used_at: grant.lastUsedAt === null ? null : toTimeText(grant.lastUsedAt),
    expires_at: toTimeText(grant.expiresAt),
  };
}

function toDestination(redirectUri: string): string {
  const target = findRedirectTarget(redirectUri);
  if (target === null) return "";
  if (target.kind === "app") return target.scheme;
  return target.kind === "computer" ? "the user's computer" : target.host;
}
