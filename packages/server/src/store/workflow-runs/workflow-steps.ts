import { sql } from "kysely";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { StepRecord } from "./workflow-run-records.ts";

const stepMarkColumns = [
  "node_id as nodeId",
  "item",
  "position",
  "state",
  "tries",
  "started_at as startedAt",
  "ended_at as endedAt",
  "wake_at as wakeAt",
  "case_name as caseName",
  "call_run_id as callRunId",
  "child_run_id as childRunId",
  "error",
  "flags",
] as const;
const stepColumns = [...stepMarkColumns, "warnings", "input", "output"] as const;

/** A run may have millions of steps: this many are read at once. */
export const stepsOfPage = 250;
/** The values of steps that are read at once; one step may have more. */
const valueBytesOfPage = 512 * 1024;

/** The step of a node, or one item of its `for_each`. */
export async function findStep(
  db: Db,
  runId: string,
  nodeId: string,
  item = -1,
): Promise<StepRecord | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_steps")
    .select(stepColumns)
    .where("run_id", "=", runId)
    .where("node_id", "=", nodeId)
    .where("item", "=", item)
    .executeTakeFirst();
  return found ?? null;
}

/** How many steps a run has, or one node of it. */
export async function countSteps(db: Db, runId: string, nodeId?: string): Promise<number> {
  let query = toKysely(db).selectFrom("workflow_steps").where("run_id", "=", runId);
  if (nodeId !== undefined) query = query.where("node_id", "=", nodeId);
  const { count } = await query
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The lengths are stored beside the values, which are not read. */
export const bytesOfSteps = sql<number>`(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0))`;

/** What the inputs and outputs of a run's steps take. */
export async function sumStepBytes(db: Db, runId: string): Promise<number> {
  const { bytes } = await toKysely(db)
    .selectFrom("workflow_steps")
    .select(sql<number>`coalesce(sum(${bytesOfSteps}), 0)`.as("bytes"))
    .where("run_id", "=", runId)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** In the order in which they were committed. */
export async function listSteps(db: Db, runId: string): Promise<StepRecord[]> {
  return await collect(readSteps(db, runId));
}

/** A step without what it was given and what it returned. */
export type StepMark = Omit<StepRecord, "input" | "output" | "warnings">;

/** The steps of a run as `listSteps` lists them, without their large values. */
export async function listStepMarks(db: Db, runId: string): Promise<StepMark[]> {
  return await collect(readStepMarks(db, runId));
}

/**
 * The steps of a run, or of one node of it, in the order in which they were committed: page by page, and the event
 * loop goes on between pages. A step that goes on while they are read is there once, as it was first read.
 */
export async function* readSteps(
  db: Db,
  runId: string,
  nodeId?: string,
): AsyncGenerator<StepRecord[]> {
  const isFirst = createRepeatFilter();
  let after: StepCursor | null = null;
  for (;;) {
    const sizes = await selectSteps(db, { runId, nodeId, after })
      .select(sql<number>`${bytesOf("input")} + ${bytesOf("output")}`.as("bytes"))
      .limit(stepsOfPage)
      .execute();
    const count = countWithin(sizes, valueBytesOfPage);
    if (count === 0) return;
    const page: StepRecord[] = await selectSteps(db, { runId, nodeId, after })
      .select(stepColumns)
      .limit(count)
      .execute();
    const steps = page.filter(isFirst);
    if (steps.length > 0) yield steps;
    if (count === sizes.length && count < stepsOfPage) return;
    after = page.at(-1) ?? null;
    if (after === null) return;
    await yieldToEventLoop();
  }
}

/** As `readSteps`, without the large values. */
export async function* readStepMarks(db: Db, runId: string): AsyncGenerator<StepMark[]> {
  const isFirst = createRepeatFilter();
  let after: StepCursor | null = null;
  for (;;) {
    const page: StepMark[] = await selectSteps(db, { runId, nodeId: undefined, after })
      .select(stepMarkColumns)
      .limit(stepsOfPage)
      .execute();
    const steps = page.filter(isFirst);
    if (steps.length > 0) yield steps;
    if (page.length < stepsOfPage) return;
    after = page.at(-1) ?? null;
    await yieldToEventLoop();
  }
}

/** Where a step stands in the order of its run. Steps in work can have the same position. */
type StepCursor = Pick<StepRecord, "position" | "nodeId" | "item">;

type StepSpan = { runId: string; nodeId: string | undefined; after: StepCursor | null };

function selectSteps(db: Db, { runId, nodeId, after }: StepSpan) {
  let query = toKysely(db).selectFrom("workflow_steps").where("run_id", "=", runId);
  if (nodeId !== undefined) query = query.where("node_id", "=", nodeId);
  if (after !== null) {
    const cursor = [after.position, after.nodeId, after.item] as const;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("position", "node_id", "item"), ">", tuple(...cursor)),
    );
  }
  return query.orderBy("position").orderBy("node_id").orderBy("item");
}

function bytesOf(column: "input" | "output") {
  return sql`coalesce(octet_length(${sql.ref(column)}), 0)`;
}

/** How many of the first fit into the limit, at least one of them if there is one. */
function countWithin(sizes: ReadonlyArray<{ bytes: number }>, bytesMax: number): number {
  let bytes = 0;
  const excess = sizes.findIndex((size) => {
    bytes += size.bytes;
    return bytes > bytesMax;
  });
  return excess === -1 ? sizes.length : Math.max(excess, 1);
}

/** Says of each step whether it was not there before. Only a step that has not ended gets another position. */
function createRepeatFilter() {
  const unended = new Set<string>();
  return ({ nodeId, item, endedAt }: StepMark): boolean => {
    const key = `${nodeId} ${item}`;
    if (unended.has(key)) return false;
    if (endedAt === null) unended.add(key);
    return true;
  };
}

async function collect<Step>(pages: AsyncIterable<Step[]>): Promise<Step[]> {
  const all: Step[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
