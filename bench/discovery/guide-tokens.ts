/**
 * Counts the tokens of the three ways in the guide for makers of clients and prompts, and prints its table:
 *
 *   bun bench/discovery/guide-tokens.ts
 *
 * The requests and answers are those that the guide shows, which a test compares with the answers of a hub.
 */
import { resolve } from "node:path";
import { readConsoleSteps } from "../../test/support/console-blocks.ts";
import { type CountTokens, loadTokenizer } from "./load-tokenizer.ts";

/** The arguments of a `tools/call`, and its answer. */
type Message = { args: string; answer: string };

const ways = [
  ["one call a message", "One call a message"],
  ["many reads in one message", "Many reads in one message"],
  ["a script", "A script"],
] as const;

const guide = await Bun.file(
  resolve(import.meta.dirname, "../../docs/guide/clients-and-prompts.md"),
).text();
const countTokens = await loadTokenizer();
const whole = new Map<string, string>();
console.log("| way | messages | written by the model | answers | in all |\n|---|---|---|---|---|");
for (const [name, title] of ways) {
  const messages = readMessages(title);
  console.log(`| ${[name, ...count(messages, countTokens)].join(" | ")} |`);
  const short = messages.map(({ args, answer }) => ({ args: shortenIds(args), answer }));
  console.log(`  with short ids: ${count(short, countTokens).join(" | ")}`);
}

/** The calls by `hub_read` in a section, with what the guide leaves out of their answers. */
function readMessages(title: string): Message[] {
  const [, section = ""] = guide.split(`\n## ${title}\n`);
  const [text = ""] = section.split("\n## ");
  return readConsoleSteps(text).flatMap(({ command, output }) => {
    const [, args] = /^tool hub_read '(.*)'$/s.exec(command) ?? [];
    if (args === undefined) return [];
    const answer = completeAnswer(command, output.trim());
    whole.set(command, answer);
    return [{ args, answer }];
  });
}

/** An answer that is cut was shown whole before. An id that is cut is that of the same answer. */
function completeAnswer(command: string, shown: string): string {
  if (shown.endsWith("…")) {
    const before = whole.get(command);
    if (before === undefined) throw new Error(`No whole answer of: ${command}`);
    return before;
  }
  const [id = ""] = /conn:[0-9a-f-]{36}/.exec(shown) ?? [];
  return shown.replaceAll("conn:…", id);
}

function shortenIds(args: string): string {
  return args.replace(/conn:([0-9a-f]{8})-[0-9a-f-]{27}/g, "$1");
}

/** The number of messages, and the tokens of the table. */
function count(messages: readonly Message[], toTokens: CountTokens): string[] {
  let written = 0;
  let answers = 0;
  let all = 0;
  for (const { args, answer } of messages) {
    written += toTokens(args);
    answers += toTokens(answer);
    all += written + answers;
  }
  return [messages.length, written, answers, all].map((tokens) => tokens.toLocaleString("en"));
}
