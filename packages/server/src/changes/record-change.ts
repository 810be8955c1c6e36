import { createHash } from "node:crypto";
import { toJsonText } from "@hub/connector";
import { insertChange } from "../store/changes-table.ts";
import type { Transaction } from "../store/database/database.ts";
import type { Actor } from "./actor.ts";

/** The change. `detail` never contains a secret. */
export type Change = {
  /** Noun and verb, such as `row.update`. */
  action: `${string}.${string}`;
  kind:
    | "row"
    | "connector"
    | "user"
    | "scim_client"
    | "scim_group"
    | "token"
    | "session"
    | "application"
    | "chat_account"
    | "group"
    | "tag"
    | "plugin"
    | "keys"
    | "setting"
    | "workflow"
    | "secret_source"
    | "secret_reference"
    | "call";
  id: string;
  /** The name that users see. */
  name: string;
  detail?: Record<string, unknown>;
};

/** Identifies one entry of the record, and says who made it and when. */
export type ChangeStamp = { id: string; changedAt: number; actor: Actor };

/** Called before the transaction of the change, because a transaction may run more than once. */
export function stampChange(actor: Actor, changedAt: number): ChangeStamp {
  return { id: Bun.randomUUIDv7(), changedAt, actor };
}

/**
 * The stamp of a change that follows from another one, where only the transaction finds of what: the same each time it runs. `of`
 * is the id of what it changes. The id begins with the time of the other, as those of all entries do.
 */
export function stampFollowing(
  { id, changedAt }: Pick<ChangeStamp, "id" | "changedAt">,
  actor: Actor,
  of: string,
): ChangeStamp {
  const digest = createHash("sha256").update(`${id} ${of}`).digest("hex");
  const [a, b, c] = [digest.slice(0, 3), digest.slice(3, 6), digest.slice(6, 18)];
  return { id: `${id.slice(0, 15)}${a}-8${b}-${c}`, changedAt, actor };
}

/** Call this in the transaction of the change, so that neither is stored without the other. */
export function recordChange(
  trx: Transaction,
  { id: changeId, changedAt, actor }: ChangeStamp,
  { action, kind, id, name, detail = {} }: Change,
): Promise<void> {
  return insertChange(trx, {
    id: changeId,
    changedAt,
    actorId: actor.userId,
    actor: actor.email,
    via: actor.via,
    tokenId: actor.tokenId,
    ipAddress: actor.ip,
    action,
    targetKind: kind,
    targetId: id,
    target: name,
    detail: toJsonText(detail),
  });
}
