import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { makeDataFolder } from "../../lib/files/make-data-folder.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Tracing } from "../../lib/tracing/tracing.ts";
import type { BeforeUpgrade } from "../../store/migration.ts";
import type { Store } from "../../store/store.ts";

const firstPauseMs = 500;
const pauseMsMax = 10_000;
/** A server allows about a hundred connections by default, and many commands may run at once. */
const connectionsMax = { ofServer: 10, ofCommand: 3 };

/** A command has no log that shows what it waits for. */
const migrationWaitMsOfCommand = 15_000;

type OpenStoreDeps = {
  config: Config;
  log: Log;
  /** Whether to wait for a database that cannot be reached, as a server does. */
  isPatient: boolean;
  /** Whether an empty database becomes a hub, and an older one is upgraded. The default is that it does. */
  mayMakeHub?: boolean;
  /** Null or absent if no traces are recorded. */
  tracing?: Tracing | null;
};

/** Opens the database that the configuration names. Loads the code of this kind only. */
export async function openConfiguredStore({
  config,
  log,
  isPatient,
  mayMakeHub = true,
  tracing = null,
}: OpenStoreDeps): Promise<Store> {
  const { dataDir } = config;
  const url = config.readDatabaseUrl();
  const migration = {
    isAllowed: config.migrate === "auto",
    mayMakeHub,
    ...(!isPatient && { waitMsMax: migrationWaitMsOfCommand }),
  };
  if (url === null) {
    const { openStore } = await import("../../store/open-store.ts");
    const beforeUpgrade: BeforeUpgrade = async (isPending) => {
      const { createUpgradeCopy } = await import("./copy-before-upgrade.ts");
      const { waitMsMax } = migration;
      return await createUpgradeCopy({ config, log, ...(waitMsMax && { waitMsMax }) })(isPending);
    };
    return await openStore({
      dataDir,
      log,
      tracing,
      migration: { ...migration, beforeUpgrade },
      ...(isPatient && { onDropped: (dropped) => log.error(dropped, droppedMessage) }),
    });
  }
  const { openPostgresStore } = await import("../../store/postgres/open-postgres.ts");
  const connections = isPatient ? connectionsMax.ofServer : connectionsMax.ofCommand;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      const store = await openPostgresStore({
        url,
        log,
        migration,
        connectionsMax: connections,
        tracing,
      });
      // Plugins and their files stay in the folder.
      makeDataFolder(dataDir);
      return store;
    } catch (err) {
      if (!isPatient || !(err instanceof HubError) || err.code !== "unavailable") throw err;
      log.warn({ pauseMs }, `${err.localMessage ?? err.message} The hub waits for it`);
    }
    await wait(pauseMs);
  }
}

const droppedMessage =
  "The log of the database is damaged, so transactions that were committed are lost. Stop the hub, copy its data folder as it is, and compare it with the newest backup";
