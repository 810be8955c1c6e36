import {
  type Config,
  type SettingName,
  settingSpecs,
  toFlag,
  toVariable,
} from "@hub/server/config.ts";
import type { Hub } from "@hub/server/hub.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { toStdioServer } from "../stdio-server.ts";
import { waitForEnd } from "../wait-for-end.ts";
import { toWelcomeText } from "../welcome.ts";

export function define(serve: Command, cli: Cli): void {
  serve
    .description("start the server; the first start makes an admin and prints its token")
    .addHelpText("after", `\nExample:\n  $ ${cli.name} serve --port 8080`)
    .action((_: unknown, command: Command) => runServer(cli, command));
  for (const option of toOptions()) serve.addOption(option);
}

/** Every setting is a flag, but for secrets, and for the folder, which every command takes. */
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
  const { hub, warnings } = await cli.openHub(command, "serve");
  try {
    const server = await hub.serve();
    try {
      for (const warning of [...warnings, ...(await findDangers(hub.config, server.port))]) {
        cli.terminal.stderr.write(`warning: ${warning}\n`);
      }
      await greet(cli, command, hub, server.url);
      await end.ended;
    } finally {
      await server.stop();
    }
  } finally {
    end.stop();
    await hub.close();
  }
}

/** Made only now: a server that could not start would have shown its token to nobody. */
async function greet(cli: Cli, command: Command, hub: Hub, listening: string): Promise<void> {
  const url = hub.config.baseUrl ?? listening;
  const firstAdmin = await hub.manager.firstStart();
  const stdioServer = toStdioServer(hub.config);
  cli.print(command, {
    json: { url, mcp_url: `${url}/mcp`, pid: process.pid, first_admin: firstAdmin },
    text: toWelcomeText({ name: cli.name, listening, url, firstAdmin, stdioServer }),
  });
}

async function findDangers(config: Config, port: number): Promise<string[]> {
  const { isPublicBind, listAnsweredHosts } = await import("@hub/server/http/answered-hosts.ts");
  const dangers: string[] = [];
  if (config.encDisable) {
    dangers.push("HUB_ENC_DISABLE is set: secrets reach clients and the audit in plain.");
  }
  if (config.baseUrl === null && isPublicBind(config.host)) {
    const address = { baseUrl: `http://localhost:${port}`, bindHost: config.host, port };
    const hosts = [...listAnsweredHosts(address).hosts].join(", ");
    dangers.push(
      `${config.host} is open to the network, and only requests for ${hosts} are answered. Set HUB_BASE_URL to the address that clients use.`,
    );
  }
  return dangers;
}
