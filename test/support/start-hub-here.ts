import { tmpdir } from "node:os";
import { basename } from "node:path";
import { loadConfig } from "@hub/server/config.ts";
import { createHub } from "@hub/server/hub.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import { makeFirstAdmin } from "@hub/server/services/users/first-admin.ts";
import { hashCheaply } from "./hash-cheaply.ts";
import { programConnectors } from "./program-connectors.ts";

/** A hub in the process of the test. */
type HubHere = {
  port: number;
  /** The first admin's token, unless the folder has a hub. */
  token: string | undefined;
  /** What it has logged. */
  log(): string;
  /** Stops the server and closes the hub, once. */
  stop(): Promise<void>;
};

/** Does what `hub serve` of this program does. */
export async function startHubHere(main: string, env: Record<string, string>): Promise<HubHere> {
  const connectors = await programConnectors[basename(main, ".ts")]?.();
  if (connectors === undefined) throw new Error(`${main} does not run in the process of a test.`);
  await using opening = new AsyncDisposableStack();
  opening.defer(hashCheaply());
  const { config } = loadConfig({ env, cwd: tmpdir() });
  let written = "";
  const stream = {
    write: (line: string) => {
      written += line;
    },
    readLoss: () => ({ lines: 0, reason: null }),
  };
  const log = createLog(config.logLevel, { stream });
  const hub = await createHub({ config, kind: "serve", log, connectors });
  opening.defer(() => hub.close());
  const server = await hub.serve();
  opening.defer(() => server.stop());
  const admin = await makeFirstAdmin(hub.services);
  const owned = opening.move();
  return {
    port: server.port,
    token: admin?.token,
    log: () => written,
    stop: () => owned.disposeAsync(),
  };
}
