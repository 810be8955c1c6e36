import { createBrowser } from "./browser.ts";
import { signIn } from "./oauth-fixture.ts";
import type { RunningHub } from "./start-hub.ts";
import { waitFor } from "./wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "./workflow-hub.ts";

type Server = { hub: RunningHub; base: string };
type Answer = { status: number; by: string; decision: "approved" | "denied" };
type Headers = Record<string, string>;

export type DecisionTrial = {
  flows: WorkflowHub;
  /** The id of the workflow. */
  workflow: string;
  /** Starts a run, and returns its approval when it asks. */
  ask(): Promise<{ run: string; id: string; hash: string }>;
  /** Two approvers decide differently, each on both servers at once. */
  decideAtOnce(asked: { id: string; hash: string }): Promise<Answer[]>;
  /** What the run and the approval came to. */
  readEnd(asked: { run: string; id: string }): Promise<{
    decidedBy: unknown;
    state: unknown;
    nodes: unknown[];
    changes: unknown[];
  }>;
};

const approvers = ["first@example.com", "second@example.com"];

/** A workflow with an approval, and two approvers who are signed in on two servers of one database. */
export async function openDecisionTrial(servers: [Server, Server]): Promise<DecisionTrial> {
  const [{ hub, base }] = servers;
  const flows = await openWorkflowHub(hub);
  const signedIn: Headers[] = [];
  for (const email of approvers) signedIn.push(await signInAnew(hub, base, email));
  const workflow = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "ask" }],
    nodes: [
      { id: "ask", type: "approval", title: "Send it?", approvers: { users: approvers } },
      { id: "yes", type: "set", value: "{{.Node.ask.by}}" },
      { id: "no", type: "set", value: "{{.Node.ask.by}}" },
    ],
    edges: [
      { from: "ask", to: "yes", case: "approved" },
      { from: "ask", to: "no", case: "denied" },
    ],
  });
  const path = `/manager/api/workflows/${workflow}/runs`;
  return {
    flows,
    workflow,
    async ask() {
      const { body } = await flows.api("POST", path, {});
      const run = String(body.run_id);
      const id = await waitFor(async () => {
        const listed = await flows.api("GET", `/manager/api/approvals?run=${run}`);
        return (listed.body.approvals as Array<{ id: string }>)[0]?.id;
      });
      const { body: shown } = await flows.api("GET", `/manager/api/approvals/${id}`);
      return { run, id, hash: String(shown.hash) };
    },
    async decideAtOnce({ id, hash }) {
      const sent = approvers.flatMap((by, at) =>
        servers.map(async (server): Promise<Answer> => {
          const decision = at === 0 ? "approved" : "denied";
          const answer = await fetch(`${server.base}/manager/api/approvals/${id}/decide`, {
            method: "POST",
            headers: { ...signedIn[at], "content-type": "application/json" },
            body: JSON.stringify({ decision, hash }),
          });
          await answer.body?.cancel();
          return { status: answer.status, by, decision };
        }),
      );
      return await Promise.all(sent);
    },
    async readEnd({ run, id }) {
      const ended = await waitFor(async () => {
        const { body } = await flows.api("GET", `${path}/${run}`);
        return body.state === "succeeded" && body;
      });
      const { body } = await flows.api("GET", `/manager/api/approvals/${id}`);
      const recorded = await flows.api("GET", `/admin/api/changes?target_id=${workflow}&limit=100`);
      const steps = ended.steps as Array<{ node_id: string; state: string; output: unknown }>;
      const changes = recorded.body.changes as Array<{
        actor: string;
        detail: { approval?: string };
      }>;
      return {
        decidedBy: body.decided_by,
        state: body.state,
        nodes: steps
          .filter(({ node_id, state }) => node_id !== "ask" && state === "succeeded")
          .map(({ node_id, output }) => [node_id, output]),
        changes: changes.filter(({ detail }) => detail?.approval === id).map(({ actor }) => actor),
      };
    },
  };
}

/** The headers of a browser in which a new user is signed in. */
async function signInAnew(hub: RunningHub, base: string, email: string): Promise<Headers> {
  const made = await hub.cli("user", "add", email, "--password", "--json");
  const { one_time_password: once } = made.json<{ one_time_password: string }>();
  const browser = createBrowser();
  await signIn(browser, base, { email, password: once });
  const page = await browser.open(`${base}/auth/password`);
  const password = "a long enough pass phrase";
  await browser.submit(page, { new_password: password, repeated: password });
  const cookie = browser.cookieHeader(base);
  const me = await fetch(`${base}/profile/api/me`, { headers: { cookie } });
  return { cookie, "x-csrf-token": String(Object(await me.json()).csrf_token) };
}
