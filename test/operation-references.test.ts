/**
 * Protects: every path to an operation is checked. These tables list each function that leads to an
 * operation, the files that may refer to it, and why that is safe. A new reference needs an entry.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Declaration, openReferences, type References } from "./support/open-references.ts";

const root = resolve(import.meta.dirname, "..");
const server = "packages/server/src";
const cli = "packages/cli/src";
const openMs = 60_000;

type Guarded = Declaration & {
  /** The files that may refer to the function, each with the reason. */
  users: Record<string, string>;
};

const guarded: Record<string, Guarded> = {
  "an operation's function": {
    file: "packages/connector/src/connector-definition.ts",
    text: "run(ctx: OperationContext & Extra): unknown;",
    users: {
      "packages/connector/src/connector-definition.ts": "declares it",
      "packages/connector/src/read-operation.ts": "adds it to the definition",
      "packages/connector/src/run-operation.ts": "is the only caller",
    },
  },
  runOperation: {
    file: "packages/connector/src/run-operation.ts",
    text: "runOperation<Extra",
    users: {
      "packages/connector/src/run-operation.ts": "declares it",
      "packages/connector/src/index.ts": "exports it for hosts of connectors",
      "packages/connector/src/plugin/serve/answer-call.ts": "runs it in the process of a plugin",
      "packages/connector/src/test-operation.ts": "runs it for an author's tests",
      [`${server}/connectors/local-connector.ts`]: "calls it from RegisteredConnector.invoke",
    },
  },
  "RegisteredConnector.invoke": {
    file: `${server}/connectors/connector-port.ts`,
    text: "invoke(call: Invocation)",
    users: {
      [`${server}/bridges/mcp/oauth/add-sign-in.ts`]:
        "passes it on with the token of the call's sign-in",
      [`${server}/connectors/connector-port.ts`]: "declares it",
      [`${server}/connectors/local-connector.ts`]: "implements it",
      [`${server}/plugins/plugin-connector.ts`]: "implements it for plugins",
      [`${server}/workflows/as-tools/workflow-tool-connector.ts`]: "implements it for workflows",
      [`${server}/connectors/trace-connector.ts`]: "passes it on within a span",
      [`${server}/operations/calls/execute-operation.ts`]: "is the only caller",
    },
  },
  runInConnector: {
    file: `${server}/operations/calls/run-in-connector.ts`,
    text: "runInConnector<Prepared, Early",
    users: {
      [`${server}/operations/calls/run-in-connector.ts`]: "declares it",
      [`${server}/operations/calls/execute-operation.ts`]:
        "calls it after look-up, checks and recording",
      [`${server}/operations/questions/ask-row.ts`]: "calls it for health checks and look-ups",
    },
  },
  executeOperation: {
    file: `${server}/operations/calls/execute-operation.ts`,
    text: "executeOperation(",
    users: {
      [`${server}/operations/calls/execute-operation.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "exposes it as calls and as tests",
    },
  },
  "Calls.call": {
    file: `${server}/operations/ports.ts`,
    text: "call(ctx: CallContext",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "implements it",
      [`${server}/mcp/tools/hub-execute.ts`]: "passes the caller that the transport authenticated",
      [`${server}/mcp/tools/hub-read.ts`]: "does the same, for operations that read",
      [`${server}/operations/batches/inner-calls.ts`]:
        "passes the caller of the message or of the script",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/operations/pending/run-approved-calls.ts`]:
        "passes the user of an approved call, as stored now",
      [`${server}/services/runs/retry-run.ts`]: "allows only the user of the run",
      [`${server}/workflows/engine/nodes/operation-node.ts`]: "acts as the owner of the workflow",
    },
  },
  "Calls.tryOut": {
    file: `${server}/operations/ports.ts`,
    text: "tryOut(ctx: CallContext, request",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]:
        "implements it, and makes the calls of batches",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/services/callable/try-out.ts`]: "passes a caller, who reaches what clients call",
    },
  },
  createInnerCalls: {
    file: `${server}/operations/batches/inner-calls.ts`,
    text: "createInnerCalls(",
    users: {
      [`${server}/operations/batches/inner-calls.ts`]: "declares it",
      [`${server}/operations/batches/read-batch.ts`]: "passes the caller of the message",
      [`${server}/scripts/create-answers.ts`]: "passes the caller of the script's own call",
    },
  },
  "Batches.read": {
    file: `${server}/operations/ports.ts`,
    text: "read(ctx: CallContext",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "implements it",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/mcp/tools/hub-read.ts`]: "passes the caller that the transport authenticated",
    },
  },
  "Batches.tryOut": {
    file: `${server}/operations/ports.ts`,
    text: "tryOut(ctx: CallContext, batch",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "implements it",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/services/callable/try-out.ts`]: "passes the caller, who tests as a client calls",
    },
  },
  "CallRecords.runTask": {
    file: `${server}/operations/ports.ts`,
    text: "runTask(ctx: CallContext",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "implements it",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/workflows/engine/nodes/http-node.ts`]:
        "passes the owner, who may have http nodes",
    },
  },
  "Rows.test": {
    file: `${server}/operations/ports.ts`,
    text: "test(ctx: CallContext",
    users: {
      [`${server}/operations/ports.ts`]: "declares it",
      [`${server}/operations/create-operations.ts`]: "implements it",
      [`${server}/operations/trace-operations.ts`]: "passes it on within a span",
      [`${server}/services/rows/test-row.ts`]: "allows only callers who may manage the row",
      [`${server}/services/rows/widgets/use-widget.ts`]:
        "allows only callers who may manage the row",
      [`${server}/services/runs/retry-run.ts`]: "retries a test for its user",
    },
  },
  testRow: {
    file: `${server}/services/rows/test-row.ts`,
    text: "testRow(",
    users: {
      [`${server}/services/rows/test-row.ts`]: "declares it",
      [`${cli}/commands/row-test.ts`]: "acts as the local admin, who has access to the data folder",
      [`${server}/http/api/endpoints/row-operation-endpoints.ts`]:
        "allows only admins, see test/api/access.test.ts",
    },
  },
  useWidget: {
    file: `${server}/services/rows/widgets/use-widget.ts`,
    text: "useWidget(",
    users: {
      [`${server}/services/rows/widgets/use-widget.ts`]: "declares it",
      [`${server}/http/api/endpoints/row-widget-endpoints.ts`]:
        "allows only admins, see test/api/access.test.ts",
    },
  },
  retryRun: {
    file: `${server}/services/runs/retry-run.ts`,
    text: "retryRun(",
    users: {
      [`${server}/services/runs/retry-run.ts`]: "declares it",
      [`${cli}/commands/runs.ts`]: "acts as the local admin, who can retry only own calls",
      [`${server}/http/api/endpoints/run-endpoints.ts`]:
        "passes the caller, who can retry only own calls",
    },
  },
  "MetaTool.accept": {
    file: `${server}/mcp/tools/define-meta-tool.ts`,
    text: "accept(args: Params",
    users: {
      [`${server}/mcp/tools/define-meta-tool.ts`]: "declares and implements it",
      [`${server}/mcp/tools/meta-tools.ts`]:
        "is the only caller: it makes tools of the protocol of them",
    },
  },
  callTool: {
    file: `${server}/mcp/methods/call-tool.ts`,
    text: "callTool(\n",
    users: {
      [`${server}/mcp/methods/call-tool.ts`]: "declares it",
      [`${server}/mcp/capabilities/tools.ts`]: "implements tools/call for both modes",
      [`${server}/mcp/tools/show-answer.ts`]:
        "shows a user on a page what hub_search and hub_get answer to a client of theirs",
    },
  },
  "Mcp.answerPost": {
    file: `${server}/mcp/mcp.ts`,
    text: "answerPost(post: HttpPost)",
    users: {
      [`${server}/mcp/mcp.ts`]: "declares and implements it",
      [`${server}/http/mcp/mcp-endpoint.ts`]:
        "calls it after the bearer check of /mcp, see http/route-guards.test.ts",
    },
  },
  "Mcp.serveStdio": {
    file: `${server}/mcp/mcp.ts`,
    text: "serveStdio(options: StdioOptions)",
    users: {
      [`${server}/mcp/mcp.ts`]: "declares and implements it",
      [`${server}/hub.ts`]: "passes the local admin, or a user who is read for each request",
    },
  },
  "Directory.isTypeDisabled": {
    file: `${server}/connectors/rows/row-directory.ts`,
    text: "isTypeDisabled(connectorKey: string)",
    users: {
      [`${server}/connectors/rows/row-directory.ts`]: "declares and implements it",
      [`${server}/operations/admission/row-enabled.ts`]: "is the gate of disabled rows",
      [`${server}/operations/admission/list-form.ts`]: "describes operations of rows that are off",
      [`${server}/services/rows/states/row-states.ts`]: "computes the states of rows",
      [`${server}/services/rows/views/list-rows.ts`]: "shows rows with `disabled_type`",
    },
  },
  "RegisteredConnector.health": {
    file: `${server}/connectors/connector-port.ts`,
    text: "health?(call: ConnectorCall)",
    users: {
      [`${server}/bridges/mcp/oauth/add-sign-in.ts`]:
        "passes it on with the token of the call's sign-in",
      [`${server}/connectors/connector-port.ts`]: "declares it",
      [`${server}/connectors/local-connector.ts`]: "implements it",
      [`${server}/plugins/plugin-connector.ts`]: "implements it for plugins",
      [`${server}/connectors/trace-connector.ts`]: "passes it on within a span",
      [`${server}/operations/questions/check-row-health.ts`]:
        "is the only caller: checks visibility and records the call",
      [`${server}/services/rows/check-called-rows.ts`]: "asks only whether a connector has a check",
    },
  },
  "RegisteredConnector.lookup": {
    file: `${server}/connectors/connector-port.ts`,
    text: "lookup?(call: ConnectorCall",
    users: {
      [`${server}/bridges/mcp/oauth/add-sign-in.ts`]:
        "passes it on with the token of the call's sign-in",
      [`${server}/connectors/connector-port.ts`]: "declares it",
      [`${server}/connectors/local-connector.ts`]: "implements it",
      [`${server}/plugins/plugin-connector.ts`]: "implements it for plugins",
      [`${server}/connectors/trace-connector.ts`]: "passes it on within a span",
      [`${server}/operations/questions/look-up-values.ts`]:
        "is the only caller: checks visibility and records the call",
    },
  },
};

/** A reference that is in no table. */
const backDoor = `${server}/http/back-door.ts`;

const owned = new AsyncDisposableStack();
let references: References;
/** The compiler reads a copy of the sources with the back door, so that it reads them only once. */
beforeAll(async () => {
  const copy = await mkdtemp(join(tmpdir(), "hub-callers-"));
  owned.defer(() => rm(copy, { recursive: true }));
  await Bun.write(join(copy, "tsconfig.json"), Bun.file(join(root, "tsconfig.json")));
  for (const pattern of ["packages/*/package.json", "packages/*/src/**/*"]) {
    for await (const file of new Bun.Glob(pattern).scan(root)) {
      if (!file.endsWith(".test.ts")) await Bun.write(join(copy, file), Bun.file(join(root, file)));
    }
  }
  await linkModules(copy);
  await Bun.write(join(copy, backDoor), unlistedCaller);
  references = owned.use(await openReferences(copy));
}, openMs);
afterAll(() => owned.disposeAsync());

describe("References to the functions that lead to an operation", () => {
  for (const [name, { users, ...declaration }] of Object.entries(guarded)) {
    test(
      `Only the listed files refer to ${name}`,
      async () => {
        const files = await references.findFiles(declaration);
        expect(files.filter((file) => file !== backDoor)).toEqual(Object.keys(users).sort());
      },
      openMs,
    );
  }

  test("No file calls a member of operations, MCP or a connector by a computed name", async () => {
    const filesWithComputedNames: string[] = [];
    for await (const file of new Bun.Glob("packages/*/src/**/*.ts").scan(root)) {
      if (/\.test\.ts$|\/testing\//.test(file)) continue;
      // The compiler does not know which member is called, so the tables do not list it.
      const text = await Bun.file(join(root, file)).text();
      if (/(?<!manager\.)\b(operations|mcp|connector)(\?\.)?\[/.test(text))
        filesWithComputedNames.push(file);
    }
    expect(filesWithComputedNames).toEqual([]);
  });
});

test(
  "A new reference is found, even under another name",
  async () => {
    for (const name of ["RegisteredConnector.invoke", "Rows.test", "Calls.call"]) {
      const found = await references.findFiles(guarded[name] as Declaration);
      expect([name, found]).toEqual([name, expect.arrayContaining([backDoor])]);
    }
  },
  openMs,
);

/** Links the installed modules into the copy. The packages of the checkout are those of the copy. */
async function linkModules(copy: string): Promise<void> {
  await mkdir(join(copy, "node_modules/@hub"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name === "@hub") continue;
    await symlink(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
  for (const name of await readdir(join(copy, "packages"))) {
    await symlink(join(copy, "packages", name), join(copy, "node_modules/@hub", name));
    const own = join(root, "packages", name, "node_modules");
    if (existsSync(own)) await symlink(own, join(copy, "packages", name, "node_modules"));
  }
}

const unlistedCaller = `
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { Calls, Operations } from "../operations/ports.ts";

export function takeReferences(parts: { connector: RegisteredConnector; all: Operations }) {
  const { invoke: quietly } = parts.connector;
  const some: Pick<Calls, "call"> = parts.all.calls;
  const { test: byAnotherName } = { ...parts.all.rows };
  return [quietly, byAnotherName, some.call];
}
`;
