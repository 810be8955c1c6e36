/** Runs that are started by hand over the API: who may start them, with what, and what they see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

let flows: WorkflowHub;
/** Shares the tag `red` with workflows. */
let sharer: string;

beforeAll(async () => {
  flows = await startWorkflowHub({ isHere: true });
  await flows.hub.addUser("sharer@example.com", { tags: ["red"] });
  const options = ["--user", "sharer@example.com", "--name", "api", "--scope", "manage"];
  sharer = (await flows.hub.cli("token", "create", ...options)).stdout.trim();
});
afterAll(() => flows[Symbol.asyncDispose]());

const manual = (id: string) => ({ id, type: "manual" as const, entry: "out" });
const bodyOf = (given: Partial<WorkflowBodyInput> = {}): WorkflowBodyInput => ({
  triggers: [manual("start")],
  nodes: [{ id: "out", type: "set", value: "{{.Event.Payload}}" }],
  ...given,
});

async function publishShared(body = bodyOf(), runBy = "tags"): Promise<string> {
  const id = await flows.publish(body, { secrets: { KEY: "s3cret-of-the-owner" } });
  const path = `/manager/api/workflows/${id}`;
  expect((await flows.api("PUT", `${path}/tags`, { tags: ["red"] })).status).toBe(200);
  expect((await flows.api("PATCH", path, { run_by: runBy })).status).toBe(200);
  return id;
}

const start = (id: string, body: object = {}, token?: string) =>
  flows.api("POST", `/manager/api/workflows/${id}/runs`, body, token);

test("Who shares a tag starts a run and gets its outcome, and sees no event and no step", async () => {
  const id = await publishShared();
  const { status, body } = await start(id, { payload: { n: 1 }, wait_s: 20 }, sharer);
  expect([status, body]).toEqual([
    200,
    { run_id: expect.any(String), state: "succeeded", output: { n: 1 }, error: null },
  ]);
  const path = `/manager/api/workflows/${id}/runs/${body.run_id}`;
  const seen = (await flows.api("GET", path, undefined, sharer)).body;
  expect(seen).toMatchObject({ state: "succeeded", event: null, steps: null, started_by: null });
  const whole = (await flows.api("GET", path)).body;
  expect(whole).toMatchObject({ started_by: "sharer@example.com", steps: [{ node_id: "out" }] });
});

test("The owner's encrypted values are [secret] in what another user gets", async () => {
  const id = await publishShared(
    bodyOf({ nodes: [{ id: "out", type: "set", value: "{{.Secret.KEY}}" }] }),
  );
  expect((await start(id, { wait_s: 20 }, sharer)).body.output).toBe("[secret]");
  expect((await start(id, { wait_s: 20 })).body.output).toStartWith("hub_enc_");
});

test("A failed run does not tell a user who only shares a tag why it failed", async () => {
  const id = await publishShared(
    bodyOf({ nodes: [{ id: "out", type: "fail", message: "Ann's reason" }] }),
  );
  const { body } = await start(id, { wait_s: 20 }, sharer);
  expect(body).toMatchObject({ state: "failed", error: "The run failed. Its owner sees why." });
  expect((await start(id, { wait_s: 20 })).body.error).toBe("Ann's reason");
});

test("With run_by owner, a user who shares a tag neither starts nor cancels runs", async () => {
  const id = await publishShared(
    bodyOf({ nodes: [{ id: "out", type: "wait", seconds: 3600 }] }),
    "owner",
  );
  expect((await start(id, {}, sharer)).status).toBe(403);
  const { run_id } = (await start(id)).body;
  const path = `/manager/api/workflows/${id}/runs/${run_id}/cancel`;
  expect((await flows.api("POST", path, undefined, sharer)).status).toBe(403);
  expect((await flows.api("POST", path)).status).toBe(200);
});

test("A draft runs for its owner and not for a user who shares a tag", async () => {
  const id = await publishShared();
  expect((await start(id, { draft: true }, sharer)).status).toBe(403);
  expect((await start(id, { draft: true, wait_s: 20 })).body.state).toBe("succeeded");
});

test("The body of a draft's run stays as it was when the run was made, for its owner only", async () => {
  const id = await publishShared();
  const { body: ran } = await start(id, { draft: true, wait_s: 20 });
  const path = `/manager/api/workflows/${id}`;
  const { body: detail } = await flows.api("GET", path);
  const { revision } = Object(detail.draft);
  const changed = { revision, body: { nodes: [] } };
  expect((await flows.api("PUT", `${path}/draft`, changed)).status).toBe(200);
  const address = `${path}/runs/${ran.run_id}/body`;
  expect((await flows.api("GET", address)).body).toMatchObject({
    version: null,
    body: { nodes: Object(detail.body).nodes },
  });
  expect((await flows.api("GET", address, undefined, sharer)).status).toBe(403);
});

test("A draft runs by any of its triggers, with the payload that is sent, and a published body only by a manual one", async () => {
  const id = await publishShared(
    bodyOf({ triggers: [manual("start"), { id: "hook", type: "webhook", entry: "out" }] }),
  );
  const payload = { body: { total: 5 } };
  const given = { trigger_id: "hook", payload, wait_s: 20 };
  expect((await start(id, given)).status).toBe(400);
  expect((await start(id, { ...given, draft: true }, sharer)).status).toBe(403);
  expect((await start(id, { ...given, draft: true, payload: [1] })).status).toBe(422);
  const { body } = await start(id, { ...given, draft: true });
  expect(body).toMatchObject({ state: "succeeded", output: payload });
  const run = (await flows.api("GET", `/manager/api/workflows/${id}/runs/${body.run_id}`)).body;
  expect(run).toMatchObject({ trigger_id: "hook", event: { Type: "webhook", Payload: payload } });
});

test("A start is refused with what to do: without a manual trigger, with several, or with no object", async () => {
  const none = await publishShared(
    bodyOf({ triggers: [{ id: "hook", type: "webhook", entry: "out" }] }),
  );
  const several = await publishShared(bodyOf({ triggers: [manual("one"), manual("two")] }));
  const answers = [
    await start(none),
    await start(several),
    await start(several, { trigger_id: "three" }),
    await start(several, { trigger_id: "one", payload: [1] }),
  ];
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [400, expect.stringContaining("no manual trigger")],
    [400, expect.stringContaining("one, two")],
    [400, expect.stringContaining("one, two")],
    [422, expect.stringContaining("is an object")],
  ]);
  expect((await start(several, { trigger_id: "two", wait_s: 20 })).body.state).toBe("succeeded");
});

test("An encrypted value of another user than the owner is refused", async () => {
  const id = await publishShared();
  const owners = (
    await start(
      await publishShared(
        bodyOf({ nodes: [{ id: "out", type: "set", value: "{{.Secret.KEY}}" }] }),
      ),
      { wait_s: 20 },
    )
  ).body.output;
  const payload = { text: `Bearer ${owners}` };
  expect((await start(id, { payload }, sharer)).status).toBe(400);
  expect((await start(id, { payload, wait_s: 20 })).status).toBe(200);
});

test("A replay has the event of the run that it names, and a run that has ended cannot be cancelled", async () => {
  const id = await publishShared();
  const first = (await start(id, { payload: { n: 7 }, wait_s: 20 })).body.run_id;
  const path = `/manager/api/workflows/${id}/runs/${first}`;
  expect((await flows.api("POST", `${path}/cancel`)).status).toBe(409);
  expect((await flows.api("POST", `${path}/replay`, {}, sharer)).status).toBe(403);
  const again = (await flows.api("POST", `${path}/replay`, {})).body.run_id;
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/runs/${again}`);
  expect(body).toMatchObject({ parent_run_id: first, event: { Payload: { n: 7 } } });
});

test("The command line prints the output of a run on one line, and the warnings of its steps", async () => {
  const id = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "out" }],
    nodes: [{ id: "out", type: "set", value: { to: "Dear {{.Event.Payload.name}}", n: 1 } }],
  });
  const { stdout } = await flows.hub.cli("workflow", "run", id, "--wait");
  expect(stdout).toContain('output  {"to":"Dear <no value>","n":1}\n');
  const run = /run +(\S+)/.exec(stdout)?.[1] ?? "";
  const shown = (await flows.hub.cli("workflow", "runs", id, run)).stdout;
  expect(shown).toMatch(/^warning {2}out: .*\.Event\.Payload\.name/m);
});

test("Pins are refused that no node could have, that are too large, or that hold a value of another user", async () => {
  const id = await publishShared(
    bodyOf({
      nodes: [
        { id: "one", type: "set", value: "{{.Secret.KEY}}" },
        { id: "two", type: "switch", value: "{{.Node.one}}", cases: [{ case: "a", right: 1 }] },
        { id: "out", type: "set", value: "{{.Node.one}}" },
        { id: "off", type: "set", value: 1, disabled: true },
      ],
      triggers: [{ id: "hook", type: "webhook", entry: "one" }],
      edges: [
        { from: "one", to: "two" },
        { from: "two", to: "off", case: "default" },
        { from: "two", to: "out", case: "default" },
      ],
    }),
  );
  const owners = (await start(id, { only_node: "one", wait_s: 20 })).body.output;
  const admins = await flows.hub.addUser("other-admin@example.com", { admin: true });
  const options = ["--user", admins.email, "--name", "api", "--scope", "manage"];
  const otherAdmin = (await flows.hub.cli("token", "create", ...options)).stdout.trim();
  const large = "x".repeat(1024 * 1024);
  const refused: Array<[object, number, string, string?]> = [
    [{ pins: { one: 1 } }, 400, "A live run takes no pins"],
    [{ dry_run: true, pins: { ome: 1 } }, 400, 'Did you mean "one"?'],
    [{ only_node: "oute" }, 400, 'Did you mean "out"?'],
    [{ dry_run: true, pins: { one: large } }, 400, "larger than 1 MiB"],
    [{ dry_run: true, pins: { two: "b" } }, 400, 'must name a case: "a", "default"'],
    [{ only_node: "off" }, 400, "is switched off, so it runs nothing"],
    [{ only_node: "out" }, 400, 'reads the output of "one", which is not pinned'],
    [{ only_node: "one", pins: { one: 1 } }, 400, "its output cannot be pinned"],
    [{ dry_run: true, pins: { one: owners } }, 400, "an encrypted value of a user", otherAdmin],
    [{ dry_run: true }, 403, "Only the owner", sharer],
    [{ dry_run: true, pins_from: crypto.randomUUID() }, 404, "no such run"],
  ];
  for (const [body, status, message, token] of refused) {
    const answer = await start(id, body, token);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(message)]);
  }
  const pins = { one: "s3cret-of-the-owner" };
  const sealed = await start(id, { only_node: "out", pins, wait_s: 20 });
  expect(sealed.body).toMatchObject({ state: "succeeded", output: owners });
});

test("One node alone gets the outputs and the event of an earlier run, and a dry run is not the last run", async () => {
  const id = await publishShared(
    bodyOf({
      triggers: [{ id: "hook", type: "webhook", entry: "one" }],
      nodes: [
        { id: "one", type: "set", value: "{{.Event.Payload.body.n}}" },
        { id: "two", type: "set", value: "{{.Node.one}} of {{.Event.Payload.raw}}" },
        { id: "three", type: "fail", message: "No." },
      ],
      edges: [
        { from: "one", to: "two" },
        { from: "two", to: "three" },
      ],
    }),
  );
  const body = '{"n": 7}';
  const sent = await flows.send(id, "", { body, headers: { "content-type": "application/json" } });
  const pins_from = sent.headers.get("x-hub-run-id");
  const path = `/manager/api/workflows/${id}/runs`;
  await waitFor(
    async () => (await flows.api("GET", `${path}/${pins_from}`)).body.state === "failed",
  );
  const alone = await start(id, { only_node: "two", pins_from, wait_s: 20 });
  expect(alone.body).toMatchObject({ state: "succeeded", output: `7 of ${body}` });
  const shown = (await flows.api("GET", `${path}/${alone.body.run_id}`)).body;
  expect(shown).toMatchObject({
    mode: "node",
    steps: [
      { node_id: "one", is_pinned: true },
      { node_id: "two", is_pinned: false },
    ],
  });
  const replayed = (await flows.api("POST", `${path}/${pins_from}/replay`, { dry_run: true })).body;
  const dry = await waitFor(async () => {
    const run = (await flows.api("GET", `${path}/${replayed.run_id}`)).body;
    return run.ended_at !== null && run;
  });
  expect(dry).toMatchObject({ mode: "dry", state: "failed" });
  const { body: listed } = await flows.api("GET", `/manager/api/workflows?q=${id}`);
  expect(JSON.stringify(listed)).toContain(String(pins_from));
});

test("Pins are kept with the draft: tests of everyone who edits it use them, and they end with their node", async () => {
  const body = bodyOf({
    triggers: [{ id: "hand", type: "manual", entry: "one" }],
    nodes: [
      { id: "one", type: "set", value: { n: 7 } },
      { id: "large", type: "set", value: "x".repeat(65 * 1024) },
      { id: "out", type: "set", value: "{{.Node.one.n}} of {{.Node.two.n}}" },
      { id: "two", type: "set", value: { n: 8 } },
    ],
    edges: [
      { from: "one", to: "two" },
      { from: "two", to: "out" },
      { from: "one", to: "large" },
    ],
  });
  const id = await publishShared(body);
  const path = `/manager/api/workflows/${id}/pins`;
  const pin = (node: string, given: object) => flows.api("PUT", `${path}/${node}`, given);
  const { run_id: run } = (await start(id, { draft: true, wait_s: 20 })).body;
  expect((await pin("one", { run })).body).toMatchObject({
    pins: [{ node_id: "one", bytes: 7, pinned_by: { email: expect.any(String) } }],
  });
  const refused: Array<[string, object, number, string]> = [
    ["large", { run }, 400, "a pin has at most 64 KiB"],
    ["nothing", { run }, 409, "has no output in this run"],
    ["one", { run: crypto.randomUUID() }, 404, "no such run"],
    ["one", {}, 400, "Give either run"],
    ["two", { node: "nothing" }, 404, "has no pin"],
  ];
  for (const [node, given, status, message] of refused) {
    const answer = await pin(node, given);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(message)]);
  }
  // As the canvas does for a node that gets another id.
  expect((await pin("two", { node: "one" })).body.pins).toHaveLength(2);
  const live = await start(id, { draft: true, draft_pins: true });
  expect([live.status, live.body.error]).toEqual([400, expect.stringContaining("takes no pins")]);
  const alone = { draft: true, only_node: "out", wait_s: 20 };
  expect((await start(id, alone)).body.error).toContain("is not pinned");
  const other = await flows.hub.addUser("third-admin@example.com", { admin: true });
  const options = ["--user", other.email, "--name", "api", "--scope", "manage"];
  const token = (await flows.hub.cli("token", "create", ...options)).stdout.trim();
  const tried = await start(id, { ...alone, draft_pins: true }, token);
  expect(tried.body).toMatchObject({ state: "succeeded", output: "7 of 7" });
  const given = { ...alone, draft_pins: true, pins: { two: { n: 9 } } };
  expect((await start(id, given)).body.output).toBe("7 of 9");
  const workflow = `/manager/api/workflows/${id}`;
  const save = async (changed: object) => {
    const { revision } = Object((await flows.api("GET", workflow)).body.draft);
    const put = { revision, body: { ...body, ...changed } };
    expect((await flows.api("PUT", `${workflow}/draft`, put)).status).toBe(200);
  };
  // The pin of a switched-off node stands in for its output only where nothing passes on.
  await save({
    nodes: body.nodes?.map((node) => (node.id === "two" ? { ...node, disabled: true } : node)),
  });
  const off = { draft: true, draft_pins: true, pins: { two: { n: 9 } }, wait_s: 20 };
  expect((await start(id, { ...off, only_node: "out" })).body.output).toBe("7 of 9");
  expect((await start(id, { ...off, dry_run: true })).body).toMatchObject({ state: "succeeded" });
  const nodes = (body.nodes ?? []).filter((node) => node.id !== "one");
  await save({ nodes, edges: [] });
  expect((await flows.api("GET", path)).body.pins).toMatchObject([{ node_id: "two" }]);
  expect((await flows.api("DELETE", `${path}/two`)).body).toEqual({ pins: [] });
});
