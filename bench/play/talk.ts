// What a model does: bun bench/play/talk.ts FOLDER describe, or … FOLDER TASK TOOL '{"…": …}', or … FOLDER TASK answer TEXT.
// It prints what a model is given, and nothing else. Each use is counted in FOLDER/talk.jsonl.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { loadTokenizer } from "../discovery/load-tokenizer.ts";
import { initializeMessage, openSession, toInitialize } from "../subjects/mcp-session.ts";

const hubSchema = z.object({ url: z.string(), token: z.string() });
const listedSchema = z.object({ result: z.object({ tools: z.array(z.unknown()) }) });
const introducedSchema = z.object({ result: z.object({ instructions: z.string() }) });
const answerSchema = z.object({
  result: z.object({
    content: z.array(z.object({ text: z.string().optional() })),
    isError: z.boolean().optional(),
  }),
});

const usage =
  "Usage: bun bench/play/talk.ts FOLDER describe | TASK TOOL ARGUMENTS | TASK answer TEXT";
const [folder, task, tool, text = "{}"] = process.argv.slice(2);
if (folder === undefined || task === undefined) throw new Error(usage);
const countTokens = await loadTokenizer();
const hub = hubSchema.parse(await Bun.file(join(folder, "hub.json")).json());

if (task === "describe") await describe();
else if (tool === undefined) throw new Error(usage);
else if (tool === "answer") await write({ task, answer: text });
else await call(task, tool, text);

async function describe(): Promise<void> {
  const first = toInitialize(hub);
  const introduced = await ask(first.headers, initializeMessage);
  const { instructions } = introducedSchema.parse(introduced).result;
  const headers = { ...first.headers, "mcp-protocol-version": "2025-06-18" };
  const listed = await ask(headers, { jsonrpc: "2.0", id: 1, method: "tools/list" });
  const { tools } = listedSchema.parse(listed).result;
  const shown = `${instructions}\n\n${tools.map((one) => JSON.stringify(one)).join("\n")}`;
  console.log(shown);
  await write({ task: "describe", tokens: countTokens(shown) });
}

async function call(name: string, wanted: string, args: string): Promise<void> {
  const session = await openSession(hub);
  const { url, headers, body } = session.toCall(wanted, JSON.parse(args));
  const answer = await (await fetch(url, { method: "POST", headers, body })).text();
  const { content, isError = false } = answerSchema.parse(toMessage(answer)).result;
  const given = content.map((block) => block.text ?? "").join("\n");
  console.log(given);
  const sent = countTokens(`${wanted}${args}`);
  await write({ task: name, tool: wanted, sent, tokens: countTokens(given), isError });
}

async function ask(headers: Record<string, string>, message: object): Promise<unknown> {
  const request = { method: "POST", headers, body: JSON.stringify(message) };
  return toMessage(await (await fetch(`${hub.url}/mcp`, request)).text());
}

/** The message of an answer, also of one that came as an event. */
function toMessage(answer: string): unknown {
  const data = answer.split("\n").findLast((line) => line.startsWith("data: "));
  return JSON.parse(data?.slice(6) ?? answer);
}

async function write(entry: object): Promise<void> {
  await appendFile(join(folder ?? "", "talk.jsonl"), `${JSON.stringify(entry)}\n`);
}
