import type { Adapter, AdapterPayload } from "oidc-provider";
import { findOAuthClient, insertOAuthClient } from "../../store/oauth-clients.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Clients that registered themselves. They are public: nothing of theirs is a secret. */
export function createClientAdapter({ db, now }: StorageDeps): Adapter {
  return {
    ...nothingElse,

    upsert: (id, payload) =>
      insertOAuthClient(db, { id, metadata: JSON.stringify(payload) }, now()),

    async find(id) {
      const client = await findOAuthClient(db, id);
      // Written above, from what the provider made of a registration.
      if (client !== null) return JSON.parse(client.metadata) as AdapterPayload;
    },

    async destroy() {
      throw new Error("Clients that are not used any more are purged by a job.");
    },
  };
}
