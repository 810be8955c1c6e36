import type { Adapter, AdapterPayload } from "oidc-provider";
import { findOAuthClient, insertOAuthClient } from "../../store/oauth/oauth-clients.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Clients that registered themselves. They are public clients without secrets. */
export function createClientAdapter({ db, now }: StorageDeps): Adapter {
  return {
    ...nothingElse,

    upsert: (id, payload) =>
      insertOAuthClient(db, { id, metadata: JSON.stringify(payload) }, now()),

    async find(id) {
      const client = await findOAuthClient(db, id);
      // Written above, from the provider's payload.
      if (client !== null) return JSON.parse(client.metadata) as AdapterPayload;
    },

    async destroy() {
      throw new Error("A job deletes unused clients.");
    },
  };
}
