import { loadConfig } from "@hub/server/config.ts";
import { createHub } from "@hub/server/hub.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import { actAs } from "@hub/server/services/testing/act-as.ts";
import { makeFirstAdmin } from "@hub/server/services/users/first-admin.ts";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { startCommandProcess } from "./command-process.ts";
import { createDataFolder } from "./data-folder.ts";
import { hubMain, withoutCallLimits } from "./run-cli.ts";
import type { RunningHub } from "./start-hub.ts";
import { toDatabaseEnv } from "./test-database.ts";

/** A hub without a process of its own. Its log is not kept. */
export type HubInProcess = Omit<
  RunningHub,
  "pid" | "stdout" | "stderr" | "stop" | "kill" | "tryCli" | "cliAlone" | "addUser"
> & {
  tryCli(args: string[], options?: { stdin?: string }): ReturnType<RunningHub["tryCli"]>;
};

/**
 * Starts a hub in the process of the test, for tests in which its process, its log and its start are not the subject: it takes less
 * processor time, because what earlier tests compiled is used again. It hashes passwords at the least cost.
 */
export async function startHubInProcess(env: Record<string, string> = {}): Promise<HubInProcess> {
  await using opening = new AsyncDisposableStack();
  const dataDir = opening.use(await createDataFolder()).path;
  const settings: Record<string, string> = {
    ...withoutCallLimits,
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    ...toDatabaseEnv(dataDir),
    ...env,
  };
  const { config } = loadConfig({ cwd: dataDir, env: settings });
  if (!settings.HUB_DATABASE_URL) await layDatabase(dataDir);
  const commands = opening.use(startCommandProcess({ main: hubMain, dataDir, env }));
  opening.use(hashCheaply());
  const hub = await createHub({ config, kind: "serve", log: createLog("silent") });
  opening.defer(() => hub.close());
  const server = await hub.serve();
  const port = Number(server.port);
  opening.defer(() => server.stop());
  const firstAdmin = await makeFirstAdmin(hub.services);
  if (firstAdmin === null) throw new Error("The hub has had a start before.");
  const admin = actAs(hub.services, commandLineActor);
  const owned = opening.move();

  const tryCli: HubInProcess["tryCli"] = (argv, options) => commands.run({ argv, ...options });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    dataDir,
    adminToken: () => firstAdmin.token,
    async makeManageToken() {
      const given = { user: firstAdmin.email, name: "manage", scope: "manage" } as const;
      return (await admin.tokens.create(given)).token;
    },
    tryCli,
    async cli(...args) {
      const result = await tryCli(args);
      if (result.exitCode !== 0) throw new Error(`hub ${args.join(" ")}: ${result.stderr}`);
      return result;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** As `cheap-hashes.ts` does in other processes. */
function hashCheaply(): Disposable {
  const { hash } = Bun.password;
  Bun.password.hash = (password) =>
    hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
  return {
    [Symbol.dispose]() {
      Bun.password.hash = hash;
    },
  };
}
