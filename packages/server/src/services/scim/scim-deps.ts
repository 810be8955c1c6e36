import type { Actor } from "../../changes/actor.ts";
import type { Config } from "../../config.ts";
import type { ScimClientRecord } from "../../store/scim/scim-clients-table.ts";
import type { Store } from "../../store/store.ts";

export type ScimDeps = {
  store: Pick<Store, "db">;
  /** The hub's issuer of single sign-on decides whose e-mail may change. */
  config: Pick<Config, "oidcIssuer">;
  now: () => number;
};

/** What giving users the tags of their groups needs. */
export type ScimGroupDeps = Pick<ScimDeps, "store" | "now">;

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
