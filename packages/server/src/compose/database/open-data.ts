import type { Config } from "../../config.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { toDefaultBaseUrl } from "../../lib/network/bind-host.ts";
import type { Tracing } from "../../lib/tracing/tracing.ts";
import { createRingHolder } from "../../secrets/keys/ring-holder.ts";
import type { InstanceKind } from "../../store/database/tables/hub-tables.ts";
import { listLiveInstances, listServers } from "../../store/servers/running-servers.ts";
import { createHubIdReader } from "../../store/settings/hub-id.ts";
import { checkKeys, loadRing, makeKeysAtFirst } from "../keys/load-keys.ts";
import { refuseOtherHub } from "../obey-marks.ts";
import { openConfiguredStore } from "./open-database.ts";

type DataParts = {
  config: Config;
  kind: InstanceKind;
  log: Log;
  /** Whether a hub is created if there is none. */
  mayMakeHub: boolean;
  tracing: Tracing | null;
};

/** The database, and the keys of what is encrypted in it. */
export async function openData(
  { config, kind, log, mayMakeHub, tracing }: DataParts,
  resources: AsyncDisposableStack,
) {
  const isPatient = kind === "serve";
  const store = await openConfiguredStore({ config, log, isPatient, mayMakeHub, tracing });
  resources.defer(() => store.close());
  const now = () => store.clock.now();
  await makeKeysAtFirst(config, store, { log, mayMakeHub });
  const ring = await createRingHolder(() => loadRing(config));
  // Before anything else is stored.
  await checkKeys(config, store, { ring: ring.current(), mayMakeHub });
  const readHubId = createHubIdReader(store.db);
  if (kind !== "serve") await refuseOtherHub(config, readHubId);
  const findServedBaseUrl = async () => {
    if (config.baseUrl !== null) return config.baseUrl;
    const [server] = listServers(await listLiveInstances(store, now()));
    return server?.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
  };
  return { store, ring, readHubId, now, findServedBaseUrl };
}
