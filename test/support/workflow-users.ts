import { expect } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { waitFor } from "./wait-for.ts";

export const workflowsPath = "/manager/api/workflows";

export type WorkflowUser = Awaited<ReturnType<ApiHub["addUser"]>>;
type PublishOptions = {
  tags?: string[];
  runBy?: "tags" | "owner";
  secrets?: Record<string, string>;
};
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Answer = any;

export type WorkflowUsers = AsyncDisposable & {
  hub: ApiHub;
  admin: WorkflowUser;
  /** Adds a user whose name is in no other test. */
  addUser(given?: { admin?: boolean; tags?: string[] }): Promise<WorkflowUser>;
  /** Sends a request that succeeds, and returns its answer. */
  ask(user: WorkflowUser, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a workflow and publishes it. An admin gives it tags. */
  publish(user: WorkflowUser, body: WorkflowBodyInput, given?: PublishOptions): Promise<string>;
  /** Starts a run and waits for its end. Returns it with its steps, as an admin sees it. */
  run(user: WorkflowUser, workflow: string, payload?: unknown): Promise<Answer>;
  /** A run as an admin sees it, once it has a state that matches. */
  awaitRun(workflow: string, run: string, state?: RegExp): Promise<Answer>;
  /** Makes another user the owner of a workflow. */
  giveAway(workflow: string, from: WorkflowUser, to: WorkflowUser): Promise<void>;
};

/** A hub in this process whose users have workflows. */
export async function openWorkflowUsers(env: Record<string, string> = {}): Promise<WorkflowUsers> {
  const hub = await openApiHub(env);
  const admin = await hub.addUser("admin@example.com", { admin: true });
  let users = 0;
  const ask: WorkflowUsers["ask"] = async (user, method, path, body) => {
    const answer = await hub.request(method, path, { headers: user.headers, body });
    const request = `${method} ${path}`;
    expect([request, answer.status < 300, answer.body]).toEqual([request, true, answer.body]);
    return answer.body;
  };
  const awaitRun: WorkflowUsers["awaitRun"] = (workflow, run, state = /succeeded|failed/) =>
    waitFor(async () => {
      const found = await ask(admin, "GET", `${workflowsPath}/${workflow}/runs/${run}`);
      return state.test(found.state) && found;
    });
  return {
    hub,
    admin,
    ask,
    awaitRun,
    addUser: (given = {}) => hub.addUser(`user-${++users}@example.com`, given),
    async publish(user, body, { tags = [], runBy = "tags", secrets = {} } = {}) {
      const made = { name: "Orders", run_by: runBy, body };
      const { id } = await ask(user, "POST", workflowsPath, made);
      const path = `${workflowsPath}/${id}`;
      for (const [name, value] of Object.entries(secrets)) {
        await ask(user, "PUT", `${path}/secrets/${name}`, { value });
      }
      await ask(user, "POST", `${path}/publish`, { revision: 1 });
      if (tags.length > 0) await ask(admin, "PUT", `${path}/tags`, { tags });
      return id;
    },
    async run(user, workflow, payload = {}) {
      const path = `${workflowsPath}/${workflow}/runs`;
      const { run_id: run } = await ask(user, "POST", path, { payload });
      return await awaitRun(workflow, run);
    },
    async giveAway(workflow, from, to) {
      const path = `${workflowsPath}/${workflow}`;
      await ask(from, "POST", `${path}/offer`, { owner: to.user.email });
      const { updated_at } = await ask(to, "GET", path);
      await ask(to, "POST", `${path}/accept`, { updated_at });
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}
