import { join } from "node:path";
import type { Bench } from "../../measure.ts";
import { findFreePort, readVersion, runNode, startNode } from "./node-program.ts";
import { awaitWebhook, countDone, ownAnswer, type WorkflowEngine } from "./workflow-engine.ts";

type EngineOptions = { node: string; packageFolder: string; sinkUrl: string };

/** Its faster expression engine: the default one runs a third of the workflows. */
const settings = { N8N_EXPRESSION_ENGINE: "legacy" };

/** n8n on SQLite, with its default settings but for the expression engine. */
export async function startN8n(bench: Bench, given: EngineOptions): Promise<WorkflowEngine> {
  const { node, packageFolder, sinkUrl } = given;
  const folder = await bench.createFolder();
  const port = await findFreePort();
  const env = {
    ...settings,
    N8N_USER_FOLDER: folder,
    N8N_PORT: `${port}`,
    N8N_LISTEN_ADDRESS: "127.0.0.1",
    N8N_RUNNERS_BROKER_PORT: `${await findFreePort()}`,
    // It sends nothing out.
    N8N_DIAGNOSTICS_ENABLED: "false",
    N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
    N8N_TEMPLATES_ENABLED: "false",
    N8N_LOG_LEVEL: "error",
  };
  const main = join(packageFolder, "bin/n8n");
  const run = (...args: string[]) => runNode({ node, args: [main, ...args], folder, env });
  for (const workflow of toWorkflows(sinkUrl)) {
    const file = join(folder, `${workflow.id}.json`);
    await Bun.write(file, JSON.stringify(workflow));
    await run("import:workflow", `--input=${file}`);
    await run("publish:workflow", `--id=${workflow.id}`);
  }
  const startedAt = performance.now();
  const program = startNode({ node, args: [main, "start"], folder, env });
  const url = `http://127.0.0.1:${port}/webhook`;
  const answering = { url: `${url}/answering`, answer: ownAnswer };
  await awaitWebhook(answering).catch(async (err) => {
    await program[Symbol.asyncDispose]();
    throw err;
  });
  return {
    about: `n8n ${await readVersion(packageFolder)}, SQLite, ${JSON.stringify(settings)}`,
    pid: program.pid,
    startedInMs: performance.now() - startedAt,
    immediate: {
      url: `${url}/immediate`,
      answer: JSON.stringify({ message: "Workflow was started" }),
    },
    answering,
    countFinished: () => countDone(sinkUrl),
    [Symbol.asyncDispose]: program[Symbol.asyncDispose],
  };
}

function toWorkflows(sinkUrl: string) {
  const call = {
    type: "n8n-nodes-base.httpRequest",
    typeVersion: 4.2,
    parameters: { url: `=${sinkUrl}/done?id={{ $json.id }}`, options: {} },
  };
  const answer = {
    type: "n8n-nodes-base.respondToWebhook",
    typeVersion: 1.1,
    parameters: { respondWith: "json", responseBody: '={"n":{{ $json.n }}}', options: {} },
  };
  return [
    toWorkflow("immediate", "onReceived", call),
    toWorkflow("answering", "responseNode", answer),
  ];
}

function toWorkflow(id: string, responseMode: string, last: object) {
  const nodes = [
    {
      name: "Hook",
      type: "n8n-nodes-base.webhook",
      typeVersion: 2,
      webhookId: id,
      parameters: { httpMethod: "POST", path: id, responseMode, options: {} },
    },
    {
      name: "Check",
      type: "n8n-nodes-base.if",
      typeVersion: 2.2,
      parameters: {
        conditions: {
          options: { caseSensitive: true, typeValidation: "strict", version: 2 },
          combinator: "and",
          conditions: [
            {
              id: "1",
              leftValue: "={{ $json.body.n }}",
              rightValue: 1,
              operator: { type: "number", operation: "gt" },
            },
          ],
        },
        options: {},
      },
    },
    {
      name: "Value",
      type: "n8n-nodes-base.set",
      typeVersion: 3.4,
      parameters: {
        assignments: {
          assignments: [
            { id: "1", name: "n", value: "={{ $json.body.n }}", type: "number" },
            { id: "2", name: "id", value: "={{ $json.body.id }}", type: "string" },
          ],
        },
        options: {},
      },
    },
    { name: "Last", ...last },
  ];
  const link = (node: string) => ({ main: [[{ node, type: "main", index: 0 }]] });
  return {
    id: `bench${id}`,
    name: id,
    active: false,
    settings: { executionOrder: "v1" },
    nodes: nodes.map((node, index) => ({
      ...node,
      id: `${id}-${index}`,
      position: [200 * index, 0],
    })),
    connections: { Hook: link("Check"), Check: link("Value"), Value: link("Last") },
  };
}
