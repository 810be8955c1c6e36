/** Runs of workflows on the command line. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
let id: string;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  await run("user", "add", "ada@example.com");
  const file = join(folder.path, "greeting.json");
  await Bun.write(file, JSON.stringify(greeting));
  const create = ["workflow", "new", "Greeter", "--owner", "ada@example.com", "--file", file];
  id = JSON.parse((await run(...create, "--json")).stdout).id;
  await run("workflow", "publish", id);
});
afterAll(() => owned.disposeAsync());

const run = (...argv: string[]) => commands.run({ argv });

const greeting = {
  triggers: [{ id: "start", type: "manual", entry: "greet", input: [{ name: "Name" }] }],
  nodes: [{ id: "greet", type: "set", value: "Hello {{.Event.Payload.name}}" }],
};

test("Without a server, the tool that starts a run answers at once that the run is queued", async () => {
  const params = JSON.stringify({ workflow_id: id, payload: { name: "Ada" }, wait_s: 30 });
  const call = ["row", "test", "Workflows", "workflow_run_now", "--params-json", params, "--json"];
  const { exitCode, stdout } = await run(...call);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    state: "queued",
    note: expect.stringContaining("No server of this hub is running"),
  });
});

test("Without a server, run says that the run is queued, and does not wait", async () => {
  const started = await run("workflow", "run", "Greeter", "--payload", '{"name": "Ada"}', "--wait");
  expect([started.exitCode, started.stderr]).toEqual([
    0,
    "No server of this hub is running. The run is queued and begins when one starts.\n",
  ]);
  expect(started.stdout).toMatch(/state +queued/);
  const [newest] = JSON.parse((await run("workflow", "runs", "Greeter", "--json")).stdout);
  expect(newest).toMatchObject({ state: "queued", started_by: "local-admin" });
  const cancelled = await run("workflow", "cancel", "Greeter", newest.id);
  expect(cancelled.stdout).toBe("The run is cancelled.\n");
  const wrong = await run("workflow", "run", "Greeter", "--payload", "{");
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("not valid JSON")]);
});

describe("with a server", () => {
  let hub: RunningHub;
  let failing: string;
  beforeAll(async () => {
    hub = owned.use(await startHub({ isHere: true }));
    const owner = ["--owner", "admin@localhost"];
    const add = async (name: string, body: unknown) => {
      const file = join(folder.path, `${name}.json`);
      await Bun.write(file, JSON.stringify(body));
      const made = await hub.cli("workflow", "new", name, ...owner, "--file", file, "--json");
      await hub.cli("workflow", "publish", name);
      return made.json<{ id: string }>().id;
    };
    await add("Greeter", greeting);
    failing = await add("Failing", {
      triggers: [{ id: "start", type: "manual", entry: "stop" }],
      nodes: [{ id: "stop", type: "fail", message: "It is closed." }],
    });
  });

  test("run --wait prints the outcome, watch the steps, and replay starts the same again", async () => {
    const file = join(folder.path, "payload.json");
    await Bun.write(file, '{"name": "Ada"}');
    const ran = await hub.cli(
      "workflow",
      "run",
      "Greeter",
      "--payload",
      `@${file}`,
      "--wait",
      "--json",
    );
    const outcome = ran.json<{ run_id: string }>();
    expect(outcome).toMatchObject({ state: "succeeded", output: "Hello Ada" });
    const watched = await hub.cli("workflow", "watch", "Greeter", outcome.run_id);
    expect(watched.stdout).toBe("succeeded  greet\nThe run succeeded.\n");
    const again = await hub.cli(
      "workflow",
      "replay",
      "Greeter",
      outcome.run_id,
      "--wait",
      "--json",
    );
    expect(again.json()).toMatchObject({ state: "succeeded", output: "Hello Ada" });
    const shown = await hub.cli("workflow", "runs", "Greeter", outcome.run_id);
    expect(shown.stdout).toMatch(/greet +- +succeeded/);
  });

  test("--dry-run prints what a run would call, --only runs one node with pins, and resume goes on with a changed body", async () => {
    const path = join(folder.path, "sender.json");
    const send = { id: "send", type: "webhook_respond", respond_body: "{{.Node.first}}" };
    const body = (fails: boolean) => ({
      triggers: [{ id: "start", type: "manual", entry: "first" }],
      nodes: [
        { id: "first", type: "set", value: "hi" },
        send,
        fails
          ? { id: "last", type: "fail", message: "No." }
          : { id: "last", type: "set", value: "{{.Node.first}}" },
      ],
      edges: [
        { from: "first", to: "send" },
        { from: "send", to: "last" },
      ],
    });
    const ask = (...args: string[]) => hub.cli("workflow", ...args);
    const tryAsk = (...args: string[]) => hub.tryCli(["workflow", ...args]);
    await Bun.write(path, JSON.stringify(body(true)));
    await ask("new", "Sender", "--owner", "admin@localhost", "--file", path);
    await ask("publish", "Sender");
    const dry = await tryAsk("run", "Sender", "--dry-run", "--wait");
    expect([dry.exitCode, dry.stdout]).toEqual([
      1,
      expect.stringMatching(/would call {2}send {2}.*"body":"hi"/),
    ]);
    const alone = ["--only", "send", "--draft", "--wait", "--json"];
    const missing = await tryAsk("run", "Sender", ...alone);
    expect(missing.stderr).toContain("which is not pinned");
    const pinned = await ask("run", "Sender", ...alone, "--pin", 'first="pinned"');
    expect(pinned.json()).toMatchObject({ state: "succeeded", output: { body: "pinned" } });
    const failed = JSON.parse((await tryAsk("run", "Sender", "--wait", "--json")).stdout);
    const set = await ask("pin", "set", "Sender", "first", "--run", failed.run_id);
    expect(set.stdout).toMatch(/^first +4 bytes +local-admin/m);
    const unknown = await tryAsk("pin", "set", "Sender", "last", "--run", failed.run_id);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('The node "last" has no output in this run.'),
    ]);
    const kept = await ask("run", "Sender", ...alone, "--draft-pins");
    expect(kept.json()).toMatchObject({ state: "succeeded", output: { body: "hi" } });
    expect((await ask("pin", "list", "Sender", "--json")).json()).toMatchObject([
      { node_id: "first", bytes: 4 },
    ]);
    expect((await ask("pin", "remove", "Sender", "first")).stdout).toBe(
      "The workflow has no pins.\n",
    );
    await Bun.write(path, JSON.stringify(body(false)));
    await ask("edit", "Sender", "--file", path);
    const preview = await ask("resume", "Sender", failed.run_id, "--body", "draft", "--preview");
    expect(preview.stdout).toMatch(/taken over +first, send/);
    const resumed = await ask(
      ...["resume", "Sender", failed.run_id, "--body", "draft", "--wait", "--json"],
    );
    expect(resumed.json()).toMatchObject({ state: "succeeded", output: "hi" });
  });

  test("run --wait and watch exit with 1 for a run that failed", async () => {
    const ran = await hub.tryCli(["workflow", "run", failing, "--wait", "--json"]);
    expect(ran.exitCode).toBe(1);
    const { run_id } = JSON.parse(ran.stdout);
    const watched = await hub.tryCli(["workflow", "watch", failing, run_id, "--json"]);
    expect(watched.exitCode).toBe(1);
    const events = watched.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { step: { node_id: "stop", state: "failed" } },
      { run: { id: run_id, state: "failed", error: { message: "It is closed." } } },
    ]);
  });

  describe("approvals", () => {
    const asking = {
      triggers: [{ id: "start", type: "manual" as const, entry: "ask" }],
      nodes: [
        {
          id: "ask",
          type: "approval" as const,
          title: "Send it?",
          approvers: { users: ["admin@localhost"] },
        },
        { id: "yes", type: "set" as const, value: "{{.Node.ask.by}}" },
        { id: "no", type: "set" as const, value: "no" },
      ],
      edges: [
        { from: "ask", to: "yes", case: "approved" },
        { from: "ask", to: "no", case: "denied" },
      ],
    };
    let flows: WorkflowHub;
    let workflow: string;
    beforeAll(async () => {
      flows = await openWorkflowHub(hub);
      workflow = await flows.publish(asking);
    });

    const path = "/manager/api/workflows";
    /** A run of the first user that waits for an approval. */
    async function ask(): Promise<{ run: string; approval: string }> {
      const { body } = await flows.api("POST", `${path}/${workflow}/runs`, {});
      const run = String(body.run_id);
      return { run, approval: await findApproval(run) };
    }
    const findApproval = (run: string) =>
      waitFor(async () => {
        const { body } = await flows.api("GET", `/manager/api/approvals?run=${run}`);
        const [approval] = body.approvals as Array<{ id: string }>;
        return approval?.id;
      });
    const awaitEnd = (run: string, of = workflow) =>
      waitFor(async () => {
        const { body } = await flows.api("GET", `${path}/${of}/runs/${run}`);
        return body.state === "succeeded" && body;
      });

    test("approvals lists them, and approve wakes the run on the server as the local admin", async () => {
      const { run, approval } = await ask();
      const listed = await hub.cli("workflow", "approvals");
      expect(listed.stdout).toContain(approval);
      const shown = await hub.cli("workflow", "approvals", approval.slice(0, 8));
      expect(shown.stdout).toMatch(/title +Send it\?/);
      expect(shown.stdout).toContain("Nothing that follows on approved changes anything.");
      const given = ["workflow", "approve", approval, "--comment", "Fine", "--json"];
      expect((await hub.cli(...given)).json()).toMatchObject({
        state: "approved",
        decided_by: "local-admin",
        comment: "Fine",
      });
      expect(await awaitEnd(run)).toMatchObject({
        steps: [{ node_id: "ask" }, { node_id: "yes", output: "local-admin" }],
      });
    });

    test("approvals shows what will run, with escapes for invisible characters", async () => {
      const [question] = asking.nodes;
      const body = { text: "a\u202eb\u3164" };
      const post = { id: "post", type: "http" as const, method: "POST" as const, body };
      const sending = await flows.publish({
        ...asking,
        nodes: [question, { ...post, url: "http://127.0.0.1:9/" }],
        edges: [{ from: "ask", to: "post", case: "approved" }],
      } as typeof asking);
      const { body: started } = await flows.api("POST", `${path}/${sending}/runs`, {});
      const approval = await findApproval(String(started.run_id));
      const shown = await hub.cli("workflow", "approvals", approval);
      expect(shown.stdout).toContain('"a\\u202eb\\u3164"');
      expect(shown.stdout).toContain(
        "These values decide:\n  url: http://127.0.0.1:9/\n  body.text: a\\u202eb\\u3164\n",
      );
      await hub.cli("workflow", "deny", approval);
    });

    nightlyTest("Of approve and deny in two processes at once, one counts", async () => {
      const { run, approval } = await ask();
      const results = await Promise.all([
        hub.cliAlone(["workflow", "approve", approval]),
        hub.cliAlone(["workflow", "deny", approval]),
      ]);
      const [approved, denied] = results.map(({ exitCode }) => exitCode);
      expect([approved, denied].toSorted()).toEqual([0, 1]);
      expect(results.map(({ stderr }) => stderr).join("")).toContain("cannot be decided");
      const { steps } = (await awaitEnd(run)) as { steps: Array<{ node_id: string }> };
      expect(steps.at(-1)?.node_id).toBe(approved === 0 ? "yes" : "no");
    });

    test("The local admin may not decide a run that the command line started or whose workflow it saved", async () => {
      const started = await hub.cli("workflow", "run", workflow, "--json");
      const { run_id } = started.json<{ run_id: string }>();
      const own = await hub.tryCli(["workflow", "approve", await findApproval(run_id)]);
      expect([own.exitCode, own.stderr]).toEqual([1, expect.stringContaining("You started this")]);
      const file = join(folder.path, "asking.json");
      await Bun.write(file, JSON.stringify(asking));
      const create = ["workflow", "new", "Asking", "--owner", "admin@localhost", "--file", file];
      const { id: made } = (await hub.cli(...create, "--json")).json<{ id: string }>();
      await flows.api("POST", `${path}/${made}/publish`, { revision: 1 });
      const { body } = await flows.api("POST", `${path}/${made}/runs`, {});
      const edited = ["workflow", "deny", await findApproval(String(body.run_id))];
      const refused = await hub.tryCli(edited);
      expect([refused.exitCode, refused.stderr]).toEqual([
        1,
        expect.stringContaining("You saved or published"),
      ]);
    });
  });
});
