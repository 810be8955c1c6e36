/** The events of a run over the API. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

test("A stream has one event for each committed step, and the run at its end", async () => {
  await using workflows = await startWorkflowHub({ isHere: true });
  const { hub, api } = workflows;
  const id = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "first" }],
    nodes: [
      { id: "first", type: "set", value: 1 },
      { id: "pause", type: "wait", seconds: 3600 },
    ],
    edges: [{ from: "first", to: "pause" }],
  });
  const runs = `/manager/api/workflows/${id}/runs`;
  const { run_id } = (await api("POST", runs, {})).body;
  const token = await hub.makeManageToken();
  const open = await fetch(`${hub.url}${runs}/${run_id}/events`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
  });
  expect(open.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  let isCancelled = false;
  const decoder = new TextDecoder();
  for await (const part of open.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (isCancelled || !text.includes('"waiting"')) continue;
    isCancelled = true;
    expect((await api("POST", `${runs}/${run_id}/cancel`)).status).toBe(200);
  }
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
  const states = events.flatMap(({ step }) => (step ? [`${step.node_id} ${step.state}`] : []));
  expect(states.slice(0, 2)).toEqual(["first succeeded", "pause waiting"]);
  expect(events.at(-1)).toMatchObject({ run: { id: run_id, state: "cancelled" } });

  const past = await api("GET", `${runs}/${run_id}/events`);
  expect(past.body.events).toContainEqual({ run: expect.objectContaining({ id: run_id }) });
});

test("A stream ends with an error when its token is revoked, before the end of the run", async () => {
  await using workflows = await startWorkflowHub({ isHere: true });
  const { hub, api } = workflows;
  const id = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "pause" }],
    nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
  });
  const runs = `/manager/api/workflows/${id}/runs`;
  const { run_id } = (await api("POST", runs, {})).body;
  const user = ["--user", "admin@localhost", "--name", "reader", "--scope", "manage", "--json"];
  const made = (await hub.cli("token", "create", ...user)).json<{ id: string; token: string }>();
  const open = await fetch(`${hub.url}${runs}/${run_id}/events`, {
    headers: { authorization: `Bearer ${made.token}`, accept: "text/event-stream" },
  });
  let text = "";
  let isRevoked = false;
  const decoder = new TextDecoder();
  for await (const part of open.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (isRevoked || !text.includes('"waiting"')) continue;
    isRevoked = true;
    await hub.cli("token", "revoke", made.id);
    expect((await api("POST", `${runs}/${run_id}/cancel`)).status).toBe(200);
  }
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
  expect(events.at(-1)).toMatchObject({ code: "unauthorized" });
  expect(events.filter(({ run }) => run)).toEqual([]);
});

nightlyTest(
  "A user has at most 32 streams open, and gets 429 for the next one until one of them ends",
  async () => {
    await using workflows = await startWorkflowHub({ isHere: true });
    const { hub, api } = workflows;
    const id = await workflows.publish({
      triggers: [{ id: "start", type: "manual", entry: "pause" }],
      nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
    });
    const runs = `/manager/api/workflows/${id}/runs`;
    const { run_id } = (await api("POST", runs, {})).body;
    const own = await hub.makeManageToken();
    const connections: AbortController[] = [];
    const open = async (token: string) => {
      const connection = new AbortController();
      const answer = await fetch(`${hub.url}${runs}/${run_id}/events`, {
        headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
        signal: connection.signal,
      });
      if (answer.ok) connections.push(connection);
      return answer;
    };
    const opened = await Promise.all(Array.from({ length: 32 }, () => open(own)));
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await open(own);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: "rate_limited" });
    const past = await api("GET", `${runs}/${run_id}/events`);
    expect(past.status).toBe(200);
    connections.shift()?.abort();
    await waitFor(async () => (await open(own)).status === 200);
    for (const connection of connections) connection.abort();
  },
);
