import { type Json, toJsonText } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { HubError, toHubError } from "../../errors.ts";
import { KeptAnswer } from "../../operations/answers/kept-answer.ts";
import type { CallContext, ExecuteRequest, RecordedCall } from "../../operations/operations.ts";
import type { CallRecords, ClientQuestions, Operations } from "../../operations/ports.ts";

/** The part of an audit row that concerns the protocol. */
export type FakeRow = RecordedCall & { caller: Caller; outcome: string };

type FakePorts = Pick<
  Operations,
  "calls" | "batches" | "catalogue" | "records" | "questions" | "tasks"
>;

type Run = (ctx: CallContext, request: ExecuteRequest) => Promise<Json>;

/** Operations without a store: `run` replaces every operation, `rows` replaces the audit table. */
export function createFakeOperations({
  run = async (_ctx, { params }) => ({ params }),
  storeFailure,
  listed = 1,
  questions = {},
  tasks = {},
}: {
  run?: Run;
  /** The error with which writing an audit row fails. */
  storeFailure?: Error;
  /** How many operations are listed. */
  listed?: number;
  /** The calls that wait. The default is that none does. */
  questions?: Partial<Pick<ClientQuestions, "find" | "decide">>;
  /** What of tasks the protocol asks. */
  tasks?: Partial<FakePorts["tasks"]>;
}) {
  const rows: FakeRow[] = [];

  const record: CallRecords["record"] = async (ctx, call, answer) => {
    const addRow = (outcome: string) => {
      if (storeFailure !== undefined) throw storeFailure;
      rows.push({ ...call, caller: ctx.caller, outcome });
    };
    try {
      const answered = await answer();
      const value = answered instanceof KeptAnswer ? answered.value : answered;
      addRow("success");
      return { value, text: toJsonText(value), runId: crypto.randomUUID() };
    } catch (thrown) {
      addRow(toHubError(thrown).code);
      throw thrown;
    }
  };

  const unused = () => Promise.reject(new Error("The protocol does not ask this."));
  const { find = async () => null, decide = async () => false } = questions;
  const operations: FakePorts = {
    tasks: {
      make: unused,
      find: unused,
      listOwn: unused,
      listStamps: unused,
      follow: unused,
      finish: unused,
      markAnswered: unused,
      answer: unused,
      questions: { ask: unused, takeAnswer: unused, takeBack: unused },
      cancel: unused,
      ...tasks,
    },
    questions: {
      find,
      findState: async (ctx, id) => (await find(ctx, id))?.state ?? null,
      decide,
    },
    batches: {
      tryOut: unused,
      read: (ctx, { calls, ...options }) =>
        record(ctx, { operationKey: "hub_read", request: { calls: calls.length } }, async () => {
          const results = await Promise.all(calls.map((call) => run(ctx, call)));
          return { results, ...JSON.parse(toJsonText(options)) };
        }),
    },
    records: { record, answer: unused, runTask: unused },
    calls: {
      call: (ctx, request) =>
        record(ctx, { operationKey: request.toolId, request: request.params }, () =>
          run(ctx, request),
        ),
      tryOut: unused,
      check: unused,
    },
    catalogue: {
      list: async () => Array.from({ length: listed }, () => entry),
      listAll: async (_caller, toAnswer) =>
        new KeptAnswer(toAnswer(Array.from({ length: listed }, () => entry))),
      listRows: async () => [rowEntry],
      nameRows: async ({ name }) => ({
        labels: [`Row of ${name}`],
        hasMore: false,
        readScript: null,
      }),
      search: async (_caller, { hasSchemas }) => {
        const inputs = hasSchemas === true ? { input_schema: {} } : { signature: "()" };
        const { tool_id, connector, label, name, description } = entry;
        const found = { tool_id, connector, label, name, description, ...inputs };
        return { tools: [found], total: 1, words: {} };
      },
      browse: unused,
      prepareSearch: unused,
      async get(_caller, tool) {
        const toolId = typeof tool === "string" ? tool : tool.toolId;
        if (toolId === "absent") throw new HubError("not_found", "This tool does not exist.");
        return { ...entry, input_schema: { type: "object" } };
      },
    },
  };
  return { operations, rows };
}

const rowEntry = { label: "prod", connector: "Code host", description: "", operations: 1 };

const entry = {
  tool_id: "conn:7f0c0a52-0000-4000-8000-000000000000/get_issue",
  connector: "Code host",
  label: "prod",
  name: "Get issue",
  description: "Reads one issue.",
  destructive: false,
};
