import type { ConnectorDefinition } from "@hub/connector";
import type { Actor } from "@hub/server/changes/actor.ts";
import type { Hub } from "@hub/server/hub.ts";
import type { Log } from "@hub/server/lib/logs/create-log.ts";
import type { Command } from "commander";
import type { Lookups } from "./look-ups/look-up-names.ts";
import type { Terminal } from "./process/terminal.ts";
import { type Answer, isJsonWanted, print } from "./text/print-answer.ts";

/** An open hub, with the actor and the look-ups of commands. */
export type CommandHub = Hub & {
  /** The author of changes that commands make. */
  actor: Actor;
  /** The local admin, as whom commands see, change and start workflows. */
  author: {
    caller: typeof import("@hub/server/identity/local-admin.ts").localAdmin;
    actor: Actor;
  };
  /** Finds ids by the names that users type. */
  lookups: Lookups;
};

/** The first argument of every command. */
export type Cli = {
  terminal: Terminal;
  /** The program's name, as users type it. */
  name: string;
  /** Version of the downstream project; null for the hub itself. */
  version: string | null;
  /** Opens the hub, runs the work, prints the answer. Other processes may use the data folder. */
  answer(
    command: Command,
    work: (hub: CommandHub) => Promise<Answer>,
    options?: { mayMakeHub?: boolean },
  ): Promise<void>;
  /** Opens the hub for a long-running process. The caller closes the hub. */
  openHub(command: Command, kind: HubKind, options?: OpenOptions): Promise<OpenedHub>;
  loadConfig(command: Command, location?: ConfigLocation): Promise<LoadedConfig>;
  print(command: Command, answer: Answer): void;
};

/** Where a command looks for the data folder, unless a flag or a variable names it. */
export type ConfigLocation = {
  /** The default is the working folder. */
  cwd?: string;
  /** Uses the user's data folder, although `cwd` is in a checkout or project. */
  ignoresProject?: boolean;
  /** The default is the environment of the process. */
  env?: Terminal["env"];
};

type OpenOptions = ConfigLocation & {
  /** Whether a hub is created if there is none. The default is true except for a command. */
  mayMakeHub?: boolean;
};
type HubKind = "serve" | "stdio" | "cli";
type OpenedHub = { hub: Hub; log: Log; warnings: string[] };
type LoadedConfig = ReturnType<typeof import("@hub/server/config.ts").loadConfig>;

type CliDeps = {
  terminal: Terminal;
  name: string;
  version: string | null;
  connectors: readonly ConnectorDefinition[];
};

const unmasked = "HUB_ENC_DISABLE is set: secrets are not masked in results and in recorded calls.";

export function createCli({ terminal, name, version, connectors }: CliDeps): Cli {
  // The server is imported only when a command needs it, so that help and usage errors are fast.
  const loadConfig: Cli["loadConfig"] = async (command, location = {}) => {
    const server = await import("@hub/server/config.ts");
    const { json: _, ...flags } = command.optsWithGlobals();
    return server.loadConfig({ env: terminal.env, cwd: terminal.cwd, flags, ...location });
  };

  const openHub: Cli["openHub"] = async (
    command,
    kind,
    { mayMakeHub = kind !== "cli", ...location } = {},
  ) => {
    const { config, warnings } = await loadConfig(command, location);
    if (kind !== "serve") {
      const { obeyMarks } = await import("@hub/server/compose/obey-marks.ts");
      await obeyMarks(config, name);
    }
    if (!mayMakeHub) {
      const { refuseNoHub } = await import("@hub/server/compose/database/refuse-no-hub.ts");
      refuseNoHub(config, name);
    }
    const { createHub } = await import("@hub/server/hub.ts");
    const { createLog } = await import("@hub/server/lib/logs/create-log.ts");
    // A command prints its failure itself. A log line would repeat it.
    const log = createLog(kind === "cli" ? "silent" : config.logLevel, {
      isReadyAtOnce: kind === "serve",
    });
    const dangers = config.encDisable ? [unmasked] : [];
    const hub = await createHub({ config, connectors, kind, log, mayMakeHub });
    return { hub, log, warnings: [...warnings, ...dangers] };
  };

  return {
    terminal,
    name,
    version,
    loadConfig,
    openHub,
    print: (command, answer) => print(terminal, answer, isJsonWanted(command)),
    async answer(command, work, options) {
      const { hub } = await openHub(command, "cli", options);
      try {
        const local = await import("@hub/server/identity/local-admin.ts");
        const { createLookups } = await import("./look-ups/look-up-names.ts");
        const lookups = createLookups(hub.services.store);
        const { localAdmin: caller, commandLineActor: actor } = local;
        const answer = await work({ ...hub, actor, author: { caller, actor }, lookups });
        print(terminal, answer, isJsonWanted(command));
      } finally {
        await hub.close();
      }
    },
  };
}
