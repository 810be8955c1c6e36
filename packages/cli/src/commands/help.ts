import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { findPage, toTopic } from "../help/find-page.ts";
import { toPageText } from "../help/page-text.ts";
import { type Docs, readDocs } from "../help/read-docs.ts";
import type { Answer } from "../print.ts";
import { toUsageError } from "../usage-error.ts";

const index = "README.md";

export function define(help: Command, cli: Cli): void {
  help
    .argument("[topic...]", "a command, or a page such as guide/backup")
    .addHelpText(
      "after",
      `
Examples:
  $ ${cli.name} help user add
  $ ${cli.name} help topics
  $ ${cli.name} help guide/backup`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      if (words.length === 0) return command.parent?.outputHelp();
      cli.print(command, await showPage(await readDocs(), words.join("-"), cli.name));
    });
}

async function showPage(docs: Docs, typed: string, name: string): Promise<Answer> {
  const path = typed === "topics" ? index : findTopic(docs, typed, name);
  const text = await docs.read(path);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  const json = { topic: path === index ? "topics" : toTopic(path), title, text };
  return { json, text: toPageText({ path, text }, name).trimEnd() };
}

function findTopic({ paths }: Docs, typed: string, name: string): string {
  const found = findPage(typed, paths);
  if ("path" in found) return found.path;
  const nearest = found.nearest === null ? "" : ` Did you mean "${found.nearest}"?`;
  throw toUsageError(
    `There is no command and no page "${typed}".${nearest} \`${name} help topics\` lists the pages.`,
  );
}
