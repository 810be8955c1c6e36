import { tmpdir } from "node:os";
import { loadConfig } from "@hub/server/config.ts";
import { createHub } from "@hub/server/hub.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import { makeFirstAdmin } from "@hub/server/services/users/first-admin.ts";
import { hashCheaply } from "./hash-cheaply.ts";

/** What `startHub` needs of a hub in this process. */
export type HubHere = {
  port: number;
  /** The first admin's token, unless the folder has a hub. */
  token: string | undefined;
  /** Stops the server and closes the hub, once. */
  stop(): Promise<void>;
};

/**
 * Serves a hub in the process of the test, as `hub serve` does. It costs a tenth of the start of a program, and is for tests whose
 * subject is neither the program nor its output.
 */
export async function startHubHere(env: Record<string, string>): Promise<HubHere> {
  await using opening = new AsyncDisposableStack();
  opening.defer(hashCheaply());
  const { config } = loadConfig({ env, cwd: tmpdir() });
  const hub = await createHub({ config, kind: "serve", log: createLog("silent") });
  opening.defer(() => hub.close());
  const server = await hub.serve();
  opening.defer(() => server.stop());
  const admin = await makeFirstAdmin(hub.services);
  const owned = opening.move();
  return { port: server.port, token: admin?.token, stop: () => owned.disposeAsync() };
}
