import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toFacts } from "../text/table.ts";

export function define(version: Command, cli: Cli): void {
  version.option("--licences", "print the licences of everything in this program");
  version.action(async ({ licences }: { licences?: true }, command: Command) => {
    if (licences === true) return await printLicences(cli, command);
    const { readBuildInfo } = await import("@hub/server/lib/process/build-info.ts");
    const info = await readBuildInfo();
    const own = cli.version === null ? {} : { name: cli.name, version: cli.version };
    const facts: Array<[string, string]> = [
      ["hub", info.hub_version],
      ["built", info.server_build_time],
      ["commit", info.server_commit],
    ];
    if (cli.version !== null) facts.unshift([cli.name, cli.version]);
    cli.print(command, { json: { ...own, ...info }, text: toFacts(facts) });
  });
}

async function printLicences(cli: Cli, command: Command): Promise<void> {
  const { readLicences } = await import("../licences/read-licences.ts");
  const { toLicenceText } = await import("../licences/licence-list.ts");
  const list = await readLicences();
  cli.print(command, { json: list, text: toLicenceText(list) });
}
