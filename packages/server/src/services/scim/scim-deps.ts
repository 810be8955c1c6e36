import type { Actor } from "../../changes/actor.ts";
import type { ScimClientRecord } from "../../store/scim/scim-clients-table.ts";
import type { Store } from "../../store/store.ts";

export type ScimDeps = { store: Pick<Store, "db">; now: () => number };

/** Whose request it is. Each change names the client as its actor. */
export type ScimRequester = {
  client: Pick<ScimClientRecord, "id" | "name" | "issuer">;
  actor: Actor;
};

/** The client as the author of changes. */
export function toScimActor(
  { id, name }: Pick<ScimClientRecord, "id" | "name">,
  ip: string | null,
): Actor {
  return { userId: id, email: `SCIM client ${name}`, tokenId: id, via: "scim", ip };
}
