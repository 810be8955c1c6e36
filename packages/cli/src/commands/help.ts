import { findPage, toTopic } from "@hub/server/docs/find-page.ts";
import { type Docs, readDocs } from "@hub/server/docs/read-docs.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { toPageText } from "../help/page-text.ts";
import { toSearchText } from "../help/search-text.ts";
import type { Answer } from "../text/print-answer.ts";

const index = "README.md";
const foundMax = 8;

export function define(help: Command, cli: Cli): void {
  help
    .argument("[topic...]", "a command, a page such as guide/backup, or words to search for")
    .addHelpText(
      "after",
      `
Examples:
  $ ${cli.name} help user add
  $ ${cli.name} help topics
  $ ${cli.name} help guide/backup
  $ ${cli.name} help search lost key`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      if (words.length === 0) return command.parent?.outputHelp();
      cli.print(command, await answer(await readDocs(), words, cli.name));
    });
}

async function answer(docs: Docs, words: readonly string[], name: string): Promise<Answer> {
  const [first = "", ...rest] = words;
  if (first === "search") return await searchPages(docs, rest.join(" "), { name, nearest: null });
  const typed = words.join("-");
  if (typed === "topics") return await showPage(docs, index, name);
  const found = findPage(typed, docs.paths);
  if ("path" in found) return await showPage(docs, found.path, name);
  if (words.length === 1 && isPath(first)) throw toNoPageError(first, found.nearest, name);
  return await searchPages(docs, words.join(" "), { name, nearest: found.nearest });
}

/** Whether a person means a page of this name, not words to search for. */
function isPath(typed: string): boolean {
  return typed.includes("/") || typed.endsWith(".md");
}

function toNoPageError(typed: string, nearest: string | null, name: string): Error {
  const similar = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  return toUsageError(
    `The documentation has no page "${typed}".${similar} \`${name} help topics\` lists the pages.`,
  );
}

async function showPage(docs: Docs, path: string, name: string): Promise<Answer> {
  const text = await docs.read(path);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  const json = { topic: path === index ? "topics" : toTopic(path), title, text };
  return { json, text: toPageText({ path, text }, name).trimEnd() };
}

type SearchOptions = { name: string; nearest: string | null };

/** The search is loaded when it is used, because most helps are pages. */
async function searchPages(
  docs: Docs,
  words: string,
  { name, nearest }: SearchOptions,
): Promise<Answer> {
  if (words.trim() === "") {
    throw toUsageError(`Type what to search for, such as \`${name} help search lost key\`.`);
  }
  const { createDocsSearch } = await import("@hub/server/docs/search-docs.ts");
  const found = await createDocsSearch(docs, async () => {}).search(words, foundMax);
  const similar = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  const topics = `\`${name} help topics\` lists the pages.`;
  if (found.length === 0) {
    throw toUsageError(`No command, page or section has "${words}".${similar} ${topics}`);
  }
  const json = { searched: words, nearest, sections: found };
  return { json, text: toSearchText(found, name), note: `${similar} ${topics}`.trim() };
}
