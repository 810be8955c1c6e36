import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type AppVersion, connectPlugin, createSelfSigned } from "@hub/connector/plugin";
import { HubError } from "../../errors.ts";
import { toSafeReason } from "../../lib/text/safe-reason.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Fence } from "../fence/fence.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import { endMarked } from "./end-marked.ts";
import { createOutputWriter } from "./output-writer.ts";
import { createPluginClient, type PluginClient } from "./plugin-client.ts";
import { createPluginEnvironment } from "./plugin-environment.ts";
import { createPluginLog, type Log } from "./plugin-log.ts";
import { toProgramCommand } from "./program-command.ts";
import { raceAbort } from "./race-abort.ts";
import type { RuntimeFolder } from "./runtime-folder.ts";
import { type ExitInfo, type PluginChild, spawnPlugin } from "./spawn-plugin.ts";
import { stopPlugin } from "./stop-plugin.ts";
import { waitForHandshake } from "./wait-for-handshake.ts";
import { waitForOutput } from "./wait-for-output.ts";
import type { Watchdog } from "./watchdog.ts";

export type StartDeps = {
  log: Log;
  timers: Timers;
  fence: Fence;
  /** The hub's environment; a plugin gets a few of its variables. */
  env: Readonly<Record<string, string | undefined>>;
  runtimeFolder(): RuntimeFolder;
  watchdog(): Watchdog;
  /** The plugin's home folder, which all its versions share. */
  toHomeDir(plugin: InstalledPlugin): string;
};

/** A running and connected plugin. */
export type PluginProcess = {
  pid: number;
  appVersion: AppVersion;
  client: PluginClient;
  exited: Promise<ExitInfo>;
  /** False if it has ended or closed its connection. */
  isUsable(): boolean;
  /** Adds secrets that are masked in the plugin's output. */
  addSecrets(texts: Iterable<string>): void;
  /** Resolves when it has ended and its files are removed. */
  stop(): Promise<void>;
};

/** Starts a plugin: spawn, handshake, connection. Rejects with `plugin_unavailable`. */
export async function startPlugin(
  deps: StartDeps,
  plugin: InstalledPlugin,
  signal: AbortSignal,
): Promise<PluginProcess> {
  const { fence } = deps;
  const folder = deps.runtimeFolder().openProcessFolder();
  const log = createPluginLog(deps, plugin.key);
  const identity = createSelfSigned();
  let child: PluginChild | null = null;
  try {
    const home = deps.toHomeDir(plugin);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const program = toProgramCommand(plugin);
    const own = createPluginEnvironment(deps.env, { ...folder, home }, identity.certPem);
    const env = { ...own, ...program.env, ...folder.env };
    const folders = {
      read: [dirname(plugin.binaryPath)],
      written: [home, folder.socket],
      way: folder.way,
    };
    child = spawnPlugin(
      { log, fence, timers: deps.timers },
      { ...program, env, cwd: home, folders },
    );
    const running = child;
    const watchdog = deps.watchdog();
    watchdog.watch(running.leader);
    folder.record(running.leader.pid, fence.launches());
    const gone = running.exited.then(async (exit) => {
      watchdog.forget(running.leader);
      await endMarked(folder.mark);
      folder.remove();
      return exit;
    });
    const handshake = await raceAbort(waitForHandshake(deps, running), signal);
    const connection = await connectPlugin(handshake, identity);
    const output = createOutputWriter({ timers: deps.timers, log });
    connection.followStdio(({ data }) => output.write(data));
    const exited = gone.then((exit) => {
      connection.close();
      return exit;
    });
    const { key: pluginKey } = plugin;
    return {
      pid: running.leader.pid,
      appVersion: handshake.app,
      client: createPluginClient({ pluginKey, appVersion: handshake.app, connection }),
      exited,
      isUsable: () => running.findExit() === null && connection.isConnected(),
      addSecrets: log.addSecrets,
      async stop() {
        await stopPlugin(deps, running, connection);
        await exited;
      },
    };
  } catch (cause) {
    if (child === null) folder.remove();
    else {
      await stopPlugin(deps, child, null);
      await waitForOutput(deps.timers, child.read);
    }
    const output = log.readLastLines();
    throw new HubError(
      "plugin_unavailable",
      `The plugin "${plugin.key}" did not start: ${toSafeReason(cause)}. An admin can find details in the hub's log.`,
      { cause, detail: output === "" ? {} : { program_output: output } },
    );
  }
}
