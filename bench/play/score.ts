// What the tasks of a folder cost: bun bench/play/score.ts FOLDER [NEEDS], where NEEDS is a query file of the discovery bench.
import { join } from "node:path";
import { z } from "zod";
import { readQueries } from "../discovery/corpus-file.ts";
import { listTasks } from "./tasks.ts";

const entrySchema = z.object({
  task: z.string(),
  answer: z.string().optional(),
  tool: z.string().optional(),
  sent: z.number().default(0),
  tokens: z.number().default(0),
  isError: z.boolean().default(false),
});

const [folder, needsPath] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: bun bench/play/score.ts FOLDER [NEEDS]");
const lines = (await Bun.file(join(folder, "talk.jsonl")).text()).trim().split("\n");
const entries = lines.map((line) => entrySchema.parse(JSON.parse(line)));
const byTask = Map.groupBy(entries, ({ task }) => task);

if (needsPath === undefined) scoreTasks();
else await scoreNeeds(needsPath);

function scoreTasks(): void {
  console.log("task\tright\tsearches\tcalls\twrong calls\ttokens\tread");
  const totals = { few: 0, many: 0, read: { few: 0, many: 0 }, right: 0 };
  for (const { id, kind, answer } of listTasks()) {
    const uses = byTask.get(id) ?? [];
    const said = uses.findLast((use) => use.answer !== undefined)?.answer ?? "";
    const isRight = said !== "" && answer.every((part) => said.includes(part));
    const tokens = addTokens(uses);
    const read = addRead(uses);
    totals[kind] += tokens;
    totals.read[kind] += read;
    if (isRight) totals.right += 1;
    const searches = uses.filter(({ tool }) => tool === "hub_search").length;
    const calls = uses.filter(({ tool = "" }) => /^hub_(execute|read)$/.test(tool)).length;
    const wrong = uses.filter(({ isError }) => isError).length;
    console.log([id, isRight, searches, calls, wrong, tokens, read].join("\t"));
  }
  console.log(totals);
}

/** A need is met if the first answer to it names an operation that would do. */
async function scoreNeeds(path: string): Promise<void> {
  const addresses = z
    .record(z.string(), z.string())
    .parse(await Bun.file(join(folder ?? "", "addresses.json")).json());
  const queries = new Map((await readQueries(path)).map((query) => [query.query, query]));
  let right = 0;
  let asked = 0;
  let tokens = 0;
  for (const [task, uses] of byTask) {
    const need = queries.get(task);
    if (need === undefined) continue;
    asked += 1;
    tokens += addTokens(uses);
    const said = uses.find((use) => use.answer !== undefined)?.answer ?? "";
    if (need.answers.includes(addresses[said] ?? "")) right += 1;
    else console.log(`missed: ${task} → ${addresses[said] ?? (said || "no answer")}`);
  }
  console.log({ asked, right, tokensOfSuccess: Math.round(tokens / Math.max(right, 1)) });
}

function addTokens(uses: readonly z.infer<typeof entrySchema>[]): number {
  return uses.reduce((sum, { sent, tokens }) => sum + sent + tokens, 0);
}

/** What a model reads over all of its messages, if it makes one use in each: all that came before it, again. */
function addRead(uses: readonly z.infer<typeof entrySchema>[]): number {
  let before = 0;
  let read = 0;
  for (const { sent, tokens } of uses) {
    before += sent + tokens;
    read += before;
  }
  return read;
}
