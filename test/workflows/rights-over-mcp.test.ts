/**
 * Protects: every operation of the connector `workflow`, called by each kind of user with each kind of token, does
 * what the user may do with the workflow. Hidden and absent workflows get the same answer.
 *
 * `.ci/run` tries each line of the table with one kind of token, each kind in turn, and the first line with all of them.
 * `.ci/nightly` tries every line with all of them.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { amount, isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import type { Credentials } from "../api/open-api-hub.ts";
import { readAnswer } from "../support/mcp-client.ts";
import { toToolCall } from "../support/rpc.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

const roles = ["owner", "former", "heir", "sharer", "stranger", "admin"] as const;
type Role = (typeof roles)[number];
const tokenKinds = ["scope mcp", "scope manage", "of an application"] as const;
type TokenKind = (typeof tokenKinds)[number];

let hub: WorkflowUsers;
const tokens = new Map<string, Credentials>();
/** The connector's tools by their operations. */
const tools = new Map<string, string>();
/** A published workflow with the tag `red` and a newer draft, which is offered to `heir`. */
let workflow: string;
/** The same, which only its owner may start. */
let closed: string;
/** A run of it, which waits. */
let run: string;

beforeAll(async () => {
  hub = await openWorkflowUsers();
  const users: Record<Role, WorkflowUser> = {
    owner: await hub.addUser(),
    former: await hub.addUser(),
    heir: await hub.addUser(),
    sharer: await hub.addUser({ tags: ["red"] }),
    stranger: await hub.addUser({ tags: ["blue"] }),
    admin: hub.admin,
  };
  for (const role of roles) {
    const { user } = users[role];
    tokens.set(`${role} scope mcp`, await hub.hub.addToken(user.email, "mcp"));
    tokens.set(`${role} scope manage`, await hub.hub.addToken(user.email, "manage"));
    tokens.set(`${role} of an application`, await hub.hub.addApplicationToken(user.id));
  }
  workflow = await addWorkflow(users);
  closed = await addWorkflow(users);
  const path = `${workflowsPath}/${closed}`;
  await hub.ask(users.owner, "PATCH", path, { run_by: "owner" });
  const started = await hub.ask(users.owner, "POST", `${workflowsPath}/${workflow}/runs`, {});
  run = started.run_id;
  const listed = await callTool("owner", "scope mcp", "hub_list", {});
  for (const { tool_id } of listed.value.tools) tools.set(tool_id.split("/")[1], tool_id);
});
afterAll(() => hub[Symbol.asyncDispose]());

async function addWorkflow({ owner, former, heir }: Record<Role, WorkflowUser>): Promise<string> {
  const body = {
    triggers: [{ id: "start", type: "manual" as const, entry: "pause" }],
    nodes: [{ id: "pause", type: "wait" as const, seconds: 3600 }],
  };
  const id = await hub.publish(former, body, { tags: ["red"] });
  await hub.giveAway(id, former, owner);
  const path = `${workflowsPath}/${id}`;
  const draft = { ...body, settings: { timeout_s: 500 } };
  await hub.ask(owner, "PUT", `${path}/draft`, { revision: 1, body: draft });
  await hub.ask(owner, "POST", `${path}/offer`, { owner: heir.user.email });
  return id;
}

async function callTool(role: Role, kind: TokenKind, name: string, args: Record<string, unknown>) {
  const headers = tokens.get(`${role} ${kind}`) ?? {};
  const { body } = await hub.hub.request("POST", "/mcp", { headers, body: toToolCall(name, args) });
  return readAnswer(body.result);
}

type Ask = (operation: string, params?: Record<string, unknown>) => Promise<Answered>;
type Answered = { code: string; value: Answer };
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Answer = any;

const asked =
  (role: Role, kind: TokenKind): Ask =>
  async (operation, params = {}) => {
    const tool_id = tools.get(operation) ?? "";
    const { isError, value } = await callTool(role, kind, "hub_execute", { tool_id, params });
    return { code: isError ? value.code : "ok", value };
  };

/** What each user gets, in the order of `roles`. */
const table: [string, (ask: Ask) => Promise<unknown>, unknown[]][] = [
  [
    "workflow_list lists it, with may_start",
    async (ask) => {
      const { value } = await ask("workflow_list", { limit: 100 });
      const found = value.workflows.find(({ id }: Answer) => id === workflow);
      return found?.may_start ?? null;
    },
    [true, null, false, true, null, true],
  ],
  [
    "workflow_get shows the body",
    async (ask) => {
      const { code, value } = await ask("workflow_get", { workflow_id: workflow });
      return code === "ok" ? value.body !== null : code;
    },
    [true, "not_found", true, false, "not_found", true],
  ],
  [
    "workflow_get shows the names of the secrets",
    async (ask) => {
      const { code, value } = await ask("workflow_get", { workflow_id: workflow });
      return code === "ok" ? value.secrets !== null : code;
    },
    [true, "not_found", true, false, "not_found", true],
  ],
  [
    "workflow_get shows how to start it",
    async (ask) => {
      const { code, value } = await ask("workflow_get", { workflow_id: closed });
      return code === "ok" ? value.manual_triggers.length : code;
    },
    [1, "not_found", 0, 0, "not_found", 1],
  ],
  [
    "workflow_runs shows who started them",
    async (ask) => {
      const { code, value } = await ask("workflow_runs", { workflow_id: workflow, limit: 100 });
      const found = value.runs?.find(({ id }: Answer) => id === run);
      return code === "ok" ? found.started_by !== null : code;
    },
    [true, "not_found", false, false, "not_found", true],
  ],
  [
    "workflow_run_get shows the event and the steps",
    async (ask) => {
      const params = { workflow_id: workflow, run_id: run };
      const { code, value } = await ask("workflow_run_get", params);
      return code === "ok" ? value.event !== null && value.steps !== null : code;
    },
    [true, "not_found", false, false, "not_found", true],
  ],
  [
    "workflow_run_get shows a run by the address of another workflow",
    async (ask) => (await ask("workflow_run_get", { workflow_id: closed, run_id: run })).code,
    Array(roles.length).fill("not_found"),
  ],
  [
    "workflow_run_now starts it, and workflow_cancel ends that run",
    async (ask) => {
      const { code, value } = await ask("workflow_run_now", { workflow_id: workflow });
      if (code !== "ok") return code;
      const target = { workflow_id: workflow, run_id: value.run_id };
      return (await ask("workflow_cancel", target)).code;
    },
    ["ok", "not_found", "forbidden", "ok", "not_found", "ok"],
  ],
  [
    "workflow_run_now starts one with run_by: owner",
    async (ask) => (await ask("workflow_run_now", { workflow_id: closed })).code,
    ["ok", "not_found", "forbidden", "forbidden", "not_found", "ok"],
  ],
  [
    "workflow_run_now runs the draft",
    async (ask) => (await ask("workflow_run_now", { workflow_id: workflow, draft: true })).code,
    ["ok", "not_found", "forbidden", "forbidden", "not_found", "forbidden"],
  ],
  [
    "workflow_cancel ends a run of one with run_by: owner, which is another workflow's",
    async (ask) => (await ask("workflow_cancel", { workflow_id: closed, run_id: run })).code,
    Array(roles.length).fill("not_found"),
  ],
  [
    "workflow_create makes a workflow of the user",
    async (ask) => (await ask("workflow_create", { name: "Mine" })).value.version,
    Array(roles.length).fill(0),
  ],
  [
    "workflow_save takes the draft, if its revision is present",
    async (ask) => {
      const params = { workflow_id: workflow, revision: 0, body: {} };
      return (await ask("workflow_save", params)).code;
    },
    ["conflict", "not_found", "forbidden", "forbidden", "not_found", "forbidden"],
  ],
  [
    "workflow_validate checks the draft",
    async (ask) => (await ask("workflow_validate", { workflow_id: workflow })).code,
    ["ok", "not_found", "ok", "forbidden", "not_found", "ok"],
  ],
  [
    "workflow_publish leaves it to people",
    async (ask) => (await ask("workflow_publish", { workflow_id: workflow, revision: 2 })).code,
    ["forbidden", "not_found", "forbidden", "forbidden", "not_found", "forbidden"],
  ],
  [
    "workflow_enable leaves it to people",
    async (ask) => (await ask("workflow_enable", { workflow_id: closed })).code,
    ["forbidden", "not_found", "forbidden", "forbidden", "not_found", "forbidden"],
  ],
  [
    "workflow_disable disables it",
    async (ask) => (await ask("workflow_disable", { workflow_id: closed })).code,
    ["ok", "not_found", "forbidden", "forbidden", "not_found", "ok"],
  ],
  [
    "workflow_replay starts a run again, by the published version and by the draft",
    async (ask) => {
      const target = { workflow_id: workflow, run_id: run };
      const published = await ask("workflow_replay", target);
      const draft = await ask("workflow_replay", { ...target, draft: true });
      return [published.code, draft.code];
    },
    [
      ["ok", "ok"],
      ["not_found", "not_found"],
      ["forbidden", "forbidden"],
      ["forbidden", "forbidden"],
      ["not_found", "not_found"],
      ["ok", "forbidden"],
    ],
  ],
  [
    "workflow_template_test renders with the values of a run",
    async (ask) => {
      const target = { workflow_id: workflow, run_id: run };
      return (await ask("workflow_template_test", { ...target, template: "{{.Event.Type}}" })).code;
    },
    ["ok", "not_found", "forbidden", "forbidden", "not_found", "ok"],
  ],
  [
    "workflow_explain explains the workflow, and its run",
    async (ask) => [
      (await ask("workflow_explain", { workflow_id: workflow })).code,
      (await ask("workflow_explain", { workflow_id: workflow, run_id: run })).code,
    ],
    [
      ["ok", "ok"],
      ["not_found", "not_found"],
      ["ok", "forbidden"],
      ["forbidden", "forbidden"],
      ["not_found", "not_found"],
      ["ok", "ok"],
    ],
  ],
  [
    "workflow_approvals lists none of workflows that ask nothing",
    async (ask) => (await ask("workflow_approvals")).value.approvals,
    Array(roles.length).fill([]),
  ],
  [
    "workflow_integration, workflow_trigger_types and workflow_node_types answer",
    async (ask) => [
      (await ask("workflow_integration")).code,
      (await ask("workflow_trigger_types")).code,
      (await ask("workflow_node_types")).code,
    ],
    Array(roles.length).fill(["ok", "ok", "ok"]),
  ],
];

const cases = tokenKinds.flatMap((kind, nth) =>
  table
    .filter((_, at) => isWholeAmount || at === 0 || at % tokenKinds.length === nth)
    .map(([title, ask, expected]) => [kind, title, ask, expected] as const),
);

test("Each line of the table is tried, and each kind of token", () => {
  expect(cases).toHaveLength(amount(table.length + 2, table.length * tokenKinds.length));
  expect(new Set(cases.map(([, title]) => title)).size).toBe(table.length);
  expect(new Set(cases.map(([kind]) => kind)).size).toBe(tokenKinds.length);
});

test.each(cases)("With a token %s: %s", async (kind, _title, ask, expected) => {
  const answered: unknown[] = [];
  for (const role of roles) answered.push(await ask(asked(role, kind)));
  expect(answered).toEqual([...expected]);
});

test("A hidden workflow gets the answers of one that does not exist", async () => {
  const ask = asked("stranger", "scope mcp");
  const operations = ["get", "runs", "run_get", "run_now", "cancel"].map(
    (key) => `workflow_${key}`,
  );
  for (const operation of operations) {
    const target = (id: string) => ({
      workflow_id: id,
      ...(/run_get|cancel/.test(operation) && { run_id: run }),
    });
    const hidden = await ask(operation, target(workflow));
    const absent = await ask(operation, target("absent-abc123"));
    const withoutRun = ({ value }: Answered) => ({ ...value, run_id: null });
    expect(withoutRun(hidden)).toEqual(withoutRun(absent));
  }
});

test("The table has every operation of the connector", () => {
  const tested = table.map(([title]) => title).join();
  const operations = [...tools.keys()].filter((key) => key.startsWith("workflow_"));
  expect(operations).toHaveLength(19);
  expect(operations.filter((key) => !tested.includes(key))).toEqual([]);
});
