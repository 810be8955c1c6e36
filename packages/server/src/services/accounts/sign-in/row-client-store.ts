import type { ClientStore } from "../../../bridges/mcp/oauth/choose-client.ts";
import { HubError } from "../../../errors.ts";
import { openAtRest, sealAtRest } from "../../../secrets/at-rest/at-rest.ts";
import { toClientLocation } from "../../../secrets/at-rest/secret-locations.ts";
import { findRowClient, putRowClient } from "../../../store/rows/row-clients.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import type { ServiceDeps } from "../../service-deps.ts";

/** The clients that the hub registered for a row, so that it does not register one for each user. */
export async function createRowClientStore(
  deps: Pick<ServiceDeps, "store" | "ring">,
  { rowId, redirectUri }: { rowId: string; redirectUri: string },
): Promise<ClientStore> {
  const { readClient } = await import("../../../bridges/mcp/oauth/connection-secrets.ts");
  const { db } = deps.store;
  return {
    async find(issuer) {
      const found = await findRowClient(db, rowId);
      if (found?.issuer !== issuer || found.redirectUri !== redirectUri) return null;
      try {
        const text = openAtRest(await deps.ring.reload(), toClientLocation(rowId), found.sealed);
        return readClient(JSON.parse(text));
      } catch (thrown) {
        // Without its key, the hub registers again.
        if (thrown instanceof HubError) return null;
        throw thrown;
      }
    },
    async put(issuer, client) {
      await storeSecrets(
        deps,
        (ring) => sealAtRest(ring, toClientLocation(rowId), JSON.stringify(client)),
        (trx, sealed) => putRowClient(trx, { rowId, issuer, redirectUri, sealed }),
      );
    },
  };
}
