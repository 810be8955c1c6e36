import { join } from "node:path";
import { z } from "zod";
import type { Operation, Query } from "../corpus-file.ts";
import { cacheFolder, downloadPackage, runCommand } from "./download.ts";
import { chooseHalf } from "./halves.ts";

const version = "2026.3.23";
const archive = `bfcl_eval-${version}-py3-none-any.whl`;
const sha512 =
  "xhAQTWR5vVmvtpHyyg2tIwdmQ1rTEJZ0Q6HjNZlYwRRmudRjeYHJNkFg1ApmzTqn5e9WYu1UgoclLd4madh9Bg==";
const file = "BFCL_v4_live_multiple.json";
const connector = "Functions";

const propertySchema = z.object({ description: z.string().optional() });

const questionSchema = z.object({
  id: z.string(),
  question: z.array(z.array(z.object({ role: z.string(), content: z.string() }))),
  function: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      parameters: z.object({ properties: z.record(z.string(), propertySchema) }),
    }),
  ),
});
const answerSchema = z.object({
  id: z.string(),
  ground_truth: z.array(z.record(z.string(), z.unknown())),
});

/**
 * The part `live_multiple` of the Berkeley Function Calling Leaderboard (Apache 2.0): requests of users, each
 * with the one function that answers it. All functions together are one row.
 */
export async function readBfcl(): Promise<{ operations: Operation[]; queries: Query[] }> {
  const spec = `bfcl-eval==${version}`;
  const command = ["python3", "-m", "pip", "download", "--quiet", "--no-deps", spec];
  const wheel = await downloadPackage({ archive, command, sha512 });
  const folder = join(cacheFolder, "bfcl");
  await runCommand(["python3", "-m", "zipfile", "-e", wheel, folder], cacheFolder);
  const data = join(folder, "bfcl_eval/data");
  const questions = await readLines(join(data, file), questionSchema);
  const answers = new Map(
    (await readLines(join(data, "possible_answer", file), answerSchema)).map((one) => [
      one.id,
      one.ground_truth.flatMap((calls) => Object.keys(calls)),
    ]),
  );
  return { operations: listFunctions(questions), queries: listQueries(questions, answers) };
}

type Question = z.infer<typeof questionSchema>;

/** Some questions describe the same function in other words. The first ones count. */
function listFunctions(questions: readonly Question[]): Operation[] {
  const functions = new Map<string, Operation>();
  for (const { name, description, parameters } of questions.flatMap((one) => one.function)) {
    if (functions.has(name)) continue;
    functions.set(name, {
      connector,
      label: connector,
      about: "",
      key: name,
      name,
      description,
      inputs: Object.keys(parameters.properties),
      schema: toSchema(parameters.properties),
    });
  }
  return [...functions.values()];
}

/** The inputs with their descriptions alone: their types have names of their own. */
function toSchema(properties: Readonly<Record<string, z.infer<typeof propertySchema>>>) {
  return { type: "object", properties };
}

function listQueries(
  questions: readonly Question[],
  answers: ReadonlyMap<string, readonly string[]>,
): Query[] {
  const byText = new Map<string, Query>();
  for (const { id, question } of questions) {
    const text = question
      .flat()
      .filter(({ role }) => role === "user")
      .map(({ content }) => content)
      .join("\n");
    const names = (answers.get(id) ?? []).map((name) => `${connector}/${name}`);
    const known = byText.get(text)?.answers ?? [];
    byText.set(text, {
      query: text,
      kind: "request",
      answers: [...new Set([...known, ...names])],
      half: chooseHalf(text),
    });
  }
  return [...byText.values()];
}

async function readLines<Line>(path: string, schema: z.ZodType<Line>): Promise<Line[]> {
  const lines = (await Bun.file(path).text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => schema.parse(JSON.parse(line)));
}
