import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { type HubOptions, type RunningHub, startHub } from "./start-hub.ts";

export type WorkflowHub = AsyncDisposable & {
  hub: RunningHub;
  /** Calls the management API as the first admin, or with another token. */
  api(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Creates a workflow and publishes it. Returns its id. */
  publish(
    body: WorkflowBodyInput,
    given?: { name?: string; secrets?: Record<string, string> },
  ): Promise<string>;
  /** Sends a request to the webhook of a workflow. */
  send(
    workflowId: string,
    slug?: string,
    init?: RequestInit & { isTest?: boolean },
  ): Promise<Response>;
};

/** A hub with workflows of its first user, who is no local admin. */
export async function startWorkflowHub(options: HubOptions = {}): Promise<WorkflowHub> {
  return await openWorkflowHub(await startHub(options));
}

/** The same of a hub that runs already. */
export async function openWorkflowHub(hub: RunningHub): Promise<WorkflowHub> {
  const adminToken = await hub.makeManageToken();
  const api: WorkflowHub["api"] = async (method, path, body, token = adminToken) => {
    const answer = await fetch(`${hub.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? {} : Object(JSON.parse(text)) };
  };
  const succeed = async (...given: Parameters<typeof api>) => {
    const { status, body } = await api(...given);
    if (status >= 300)
      throw new Error(`${given[0]} ${given[1]}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    hub,
    api,
    async publish(body, { name = "Orders", secrets = {} } = {}) {
      const { id } = await succeed("POST", "/manager/api/workflows", { name, body });
      const path = `/manager/api/workflows/${id}`;
      for (const [secret, value] of Object.entries(secrets)) {
        await succeed("PUT", `${path}/secrets/${secret}`, { value });
      }
      await succeed("POST", `${path}/publish`, { revision: 1 });
      return String(id);
    },
    send: (workflowId, slug = "", { isTest = false, ...init } = {}) =>
      fetch(`${hub.url}/webhook${isTest ? "-test" : ""}/${workflowId}/${slug}`, {
        method: "POST",
        ...init,
      }),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}
