import { toJsonText } from "@hub/connector";
import { insertChange } from "../store/changes.ts";
import type { Db } from "../store/tables.ts";
import type { Actor } from "./actor.ts";

/** A change as the verb that makes it tells it. `detail` names what changed, and never a secret. */
export type Change = {
  /** Noun and verb, such as `row.update`. */
  action: `${string}.${string}`;
  kind:
    | "row"
    | "connector"
    | "user"
    | "token"
    | "session"
    | "application"
    | "plugin"
    | "keys"
    | "setting";
  id: string;
  /** What people call it. */
  name: string;
  detail?: Record<string, unknown>;
};

export type ChangeRecorder = {
  /** Call it in the transaction of the change: neither is kept without the other. */
  record(db: Db, change: Change): Promise<void>;
};

/** Notes changes as made by `actor`. */
export function createChangeRecorder(deps: { actor: Actor; now: () => number }): ChangeRecorder {
  const { actor, now } = deps;
  return {
    record: (db, { action, kind, id, name, detail = {} }) =>
      insertChange(db, {
        id: Bun.randomUUIDv7(),
        changedAt: now(),
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
      }),
  };
}
