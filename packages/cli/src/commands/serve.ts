import type { RunningServer } from "@hub/server/compose/open-server.ts";
import { type Config, toFlag, toVariable } from "@hub/server/config.ts";
import type { Hub } from "@hub/server/hub.ts";
import { isLoopbackHost } from "@hub/server/lib/network/bind-host.ts";
import { type SettingName, settingSpecs } from "@hub/server/settings/all-settings.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { logUncaughtErrors } from "../errors/log-uncaught-errors.ts";
import { toOwnServer } from "../process/find-stdio-server.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import { toWelcomeText } from "../text/welcome-text.ts";

/** Enough to print why the program ends. */
const exitMsMax = 500;

export function define(serve: Command, cli: Cli): void {
  serve
    .description("start the server; the first start creates an admin and prints its token")
    .addHelpText("after", `\nExample:\n  $ ${cli.name} serve --port 8080`)
    .action((_: unknown, command: Command) => runServer(cli, command));
  for (const option of toOptions()) serve.addOption(option);
}

/** Every setting is a flag, except secrets, and the data folder, which every command takes. */
function toOptions(): Option[] {
  // Object.entries widens the keys of a record that has exactly these.
  const settings = Object.entries(settingSpecs) as Array<
    [SettingName, (typeof settingSpecs)[SettingName]]
  >;
  return settings
    .filter(([name, { secret }]) => !secret && name !== "dataDir")
    .map(([name, { description, fallback }]) => {
      const value = name === "encDisable" ? "" : " <value>";
      const help = `${description} (${toVariable(name)}; default: ${fallback})`;
      return new Option(`${toFlag(name)}${value}`, help);
    });
}

async function runServer(cli: Cli, command: Command): Promise<void> {
  const end = waitForEnd();
  // The hub waits for its database without a limit.
  const opened = await Promise.race([cli.openHub(command, "serve"), end.ended]);
  if (!opened) {
    cli.terminal.stderr.write("The hub was stopped before it had started.\n");
    process.exit();
  }
  const { hub, log, warnings } = opened;
  const stopLogging = logUncaughtErrors(log);
  try {
    const server = await hub.serve();
    try {
      for (const warning of [...warnings, ...findDangers(hub.config, server)]) {
        cli.terminal.stderr.write(`warning: ${warning}\n`);
      }
      await greet(cli, command, hub, server);
      await end.ended;
    } finally {
      await server.stop();
    }
  } finally {
    end.stop();
    try {
      await hub.close();
    } finally {
      stopLogging();
      // Connections that a lost database does not close would keep the process for seconds.
      setTimeout(() => process.exit(), exitMsMax).unref();
    }
  }
}

/** Creates the first admin after the server has started, so that its token is always printed. */
async function greet(cli: Cli, command: Command, hub: Hub, server: RunningServer): Promise<void> {
  const { baseUrl: url, host, port } = server;
  const { makeFirstAdmin } = await import("@hub/server/services/users/first-admin.ts");
  const firstAdmin = await makeFirstAdmin(hub.services);
  const stdioServer = toOwnServer(cli, hub.config, url);
  const { dataDir } = hub.config;
  const listening = `${host}:${port}`;
  cli.print(command, {
    json: {
      url,
      mcp_url: `${url}/mcp`,
      pid: process.pid,
      data_dir: dataDir,
      first_admin: firstAdmin,
    },
    text: toWelcomeText({ name: cli.name, listening, url, dataDir, firstAdmin, stdioServer }),
  });
}

function findDangers({ baseUrl, host }: Config, server: RunningServer): string[] {
  const dangers: string[] = [];
  if (baseUrl === null && !isLoopbackHost(host)) {
    dangers.push(
      `The server listens on ${host}, which is open to the network, but answers only requests for ${server.answeredHosts.join(", ")}. Set HUB_BASE_URL to the address that clients use.`,
    );
  }
  return dangers;
}
