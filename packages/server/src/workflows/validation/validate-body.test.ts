import { describe, expect, test } from "bun:test";
import { toBranch } from "./testing/sample-bodies.ts";
import { isValid, validateBody } from "./validate-body.ts";
import type { ValidationWorld } from "./validation-world.ts";

const publish: ValidationWorld = { purpose: "publish" };
const served = { isPublished: true, isEnabled: true };
const toolId = "conn:00000000-0000-4000-8000-000000000000/get";
const set = (id: string, value: unknown = 1) => ({ id, type: "set", value });
const manual = (entry: string, id = "start") => ({ id, type: "manual", entry });
const hook = (fields: Record<string, unknown>) => ({
  id: "hook",
  type: "webhook",
  entry: "a",
  ...fields,
});

/** The problems, one line each: `error /nodes/0: The message.` */
async function find(input: unknown, world: ValidationWorld = publish): Promise<string[]> {
  const { problems } = await validateBody(input, world);
  for (const { hint } of problems) expect(hint).not.toBe("");
  return problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

/** The problems of a body with one node `a` that a manual trigger starts. */
const findInNode = (node: Record<string, unknown>, world?: ValidationWorld) =>
  find({ triggers: [manual("a")], nodes: [{ id: "a", ...node }] }, world);

/** The problems of a body with one trigger and one node `a`. */
const findInTrigger = (trigger: Record<string, unknown>, world?: ValidationWorld) =>
  find({ triggers: [{ id: "t", entry: "a", ...trigger }], nodes: [set("a")] }, world);

describe("the schema", () => {
  test("A valid body has no problems", async () => {
    const body = {
      triggers: [manual("a"), hook({ path: "orders/new" })],
      nodes: [set("a", { x: 1 }), toBranch("b"), set("c", "{{.Node.a.x}}")],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "c", case: "true" },
      ],
    };
    const { problems, body: parsed } = await validateBody(body, publish);
    expect(problems).toEqual([]);
    expect(parsed?.nodes).toHaveLength(3);
  });

  test("Refused values are described in the words of the hub, without those of its schema library", async () => {
    const wrong = [null, 7, -1.5, "", "\u0000", "x".repeat(70_000), [], [[]], {}, { a: {} }, true];
    const members = [
      "id",
      "name",
      "on_error",
      "retry",
      "timeout_s",
      "for_each",
      "url",
      "method",
      "headers",
    ];
    const types = [
      "set",
      "http",
      "operation",
      "wait",
      "switch",
      "approval",
      "code",
      "channel",
      "workflow",
    ];
    for (const value of wrong) {
      const parts = Object.fromEntries(members.map((name) => [name, value]));
      const nodes = types.map((type, at) => ({ ...parts, id: at % 2 ? value : `n${at}`, type }));
      const triggers = ["cron", "webhook", "manual"].map((type) => ({
        ...parts,
        type,
        path: value,
        entry: value,
      }));
      const body = {
        nodes,
        triggers,
        edges: [{ from: value }],
        settings: { env: value, queue: value },
      };
      const { problems } = await validateBody(body, publish);
      expect(problems.length).toBeGreaterThan(0);
      const texts = problems.flatMap(({ message, hint }) => [message, hint]);
      const raw =
        /Invalid (?:input|option|string|[A-Z])|expected \w+|received \w+|Too (?:small|big)/;
      expect(texts.filter((text) => raw.test(text))).toEqual([]);
    }
  });

  test("Unknown keys, types and values are refused with the name that was meant", async () => {
    const body = {
      trigger: [],
      nodes: [
        { id: "a", type: "sett" },
        { id: "b", type: "http", ur: "x" },
      ],
      settings: { queue: { policy: "paralel" } },
    };
    const { body: parsed, problems } = await validateBody(body, publish);
    expect(parsed).toBeNull();
    expect(problems.map(({ path, message, hint }) => [path, message, hint])).toEqual([
      [
        "/settings/queue/policy",
        'The field "policy" has a value that is not known.',
        'Did you mean "parallel"?',
      ],
      ["/trigger", 'The field "trigger" is not known.', 'Did you mean "triggers"?'],
      ["/nodes/0/type", 'The field "type" has a value that is not known.', 'Did you mean "set"?'],
      ["/nodes/1/url", 'The field "url" is missing.', "It must be a text."],
      ["/nodes/1/ur", 'The field "ur" is not known.', 'Did you mean "url"?'],
    ]);
  });

  test("A body that is no object is refused", async () => {
    for (const input of [null, 1, "{}", []]) {
      expect(await find(input)).toEqual(["error : The body has the wrong type."]);
    }
    expect(await find({ nodes: {} })).toContain(
      'error /nodes: The field "nodes" has the wrong type.',
    );
    expect(await find({ edges: [["a", "b"]] })).toContain(
      "error /edges/0: This item has the wrong type.",
    );
  });

  test("The names of members in a path are escaped", async () => {
    const message = 'The field "a/b~c" is not known.';
    expect(await find({ "a/b~c": 1 })).toEqual([`error /a~1b~0c: ${message}`]);
  });
});

describe("limits", () => {
  test("A body has at most 500 nodes, 2,000 edges and 100 triggers", async () => {
    const nodes = Array.from({ length: 501 }, (_, at) => set(`n${at}`));
    const edges = Array.from({ length: 2001 }, () => ({ from: "n0", to: "n1" }));
    const triggers = Array.from({ length: 101 }, (_, at) => manual("n0", `t${at}`));
    expect(await find({ nodes, edges, triggers })).toEqual([
      'error /nodes: The field "nodes" has 501 items. It may have 500.',
      'error /edges: The field "edges" has 2001 items. It may have 2000.',
      'error /triggers: The field "triggers" has 101 items. It may have 100.',
    ]);
  });

  test("A body has at most 1 MiB, 64 levels and 50,000 values", async () => {
    expect(await find({ nodes: [set("a", "x".repeat(1024 * 1024))] })).toEqual([
      "error : The body is larger than 1 MiB.",
    ]);
    // Written in JSON, each of these characters takes six bytes.
    expect(await find({ nodes: [set("a", "\u0001".repeat(200_000))] })).toEqual([
      "error : The body is larger than 1 MiB.",
    ]);
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(await find({ nodes: [set("a", deep)] })).toEqual([
      "error : Lists and objects are nested deeper than 64.",
    ]);
    expect(await find({ nodes: [set("a", Array(50_000).fill(1))] })).toEqual([
      "error : The body has more than 50000 values.",
    ]);
  });

  test("At most 200 errors are listed, and the others are counted", async () => {
    const edges = Array.from({ length: 150 }, () => ({ from: "x", to: "y" }));
    const problems = (await find({ edges })).filter((line) => line.startsWith("error"));
    expect(problems).toHaveLength(201);
    expect(problems.at(-1)).toBe("error : There are 100 more problems of this kind.");
  });

  test("A large body lets other work run while it is checked", async () => {
    const nodes = Array.from({ length: 500 }, (_, at) =>
      set(`n${at}`, Array(40).fill("{{.Event.Payload.x}} {{.Env.A}}")),
    );
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await validateBody({ nodes }, publish);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
  });
});

describe("the graph", () => {
  const warning = "warning /triggers: The workflow has no trigger.";

  test("An id is used once, over nodes and triggers", async () => {
    const triggers = [manual("a", "a")];
    expect(await find({ triggers, nodes: [set("a"), set("a")] })).toEqual([
      'error /nodes/1/id: The id "a" is used twice.',
      'error /triggers/0/id: The id "a" is used twice.',
    ]);
  });

  test("Edges and entries name nodes that exist", async () => {
    const body = {
      triggers: [manual("b")],
      nodes: [set("abc")],
      edges: [{ from: "abd", to: "x" }],
    };
    const { problems } = await validateBody(body, publish);
    expect(problems.map(({ path, hint }) => [path, hint])).toEqual([
      ["/edges/0/from", 'Did you mean "abc"?'],
      ["/edges/0/to", "Nodes: abc."],
      ["/triggers/0/entry", "Nodes: abc."],
      ["/nodes/0", "Connect it, or remove it. It never runs."],
    ]);
  });

  test("A cycle is an error that shows its path", async () => {
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "b" },
    ];
    const nodes = [set("a", "{{.Node.c}}"), set("b"), set("c")];
    expect(await find({ triggers: [manual("a")], nodes, edges })).toEqual([
      "error /edges/2: The nodes are in a cycle: b → c → b.",
    ]);
  });

  test("Nodes that no trigger leads to and edges that are there twice are warnings", async () => {
    const nodes = [set("a"), set("b"), set("c")];
    const edges = [
      { from: "a", to: "b" },
      { from: "a", to: "b" },
    ];
    expect(await find({ triggers: [manual("a")], nodes, edges })).toEqual([
      'warning /edges/1: The edge from "a" to "b" is there twice.',
      'warning /nodes/2: No trigger leads to the node "c".',
    ]);
    expect(await find({})).toEqual([warning]);
  });

  test("An edge names a case that its node has", async () => {
    const nodes = [toBranch("a"), set("b")];
    const toEdge = (from: string, name?: string) => ({
      from,
      to: "c",
      ...(name && { case: name }),
    });
    const edges = [toEdge("a"), toEdge("a", "yes"), toEdge("b", "true"), toEdge("b", "error")];
    expect(await find({ nodes: [...nodes, set("c")], edges })).toEqual([
      'error /edges/0: The edge from "a" has no case.',
      'error /edges/1/case: The node "a" does not have the case "yes".',
      'error /edges/2/case: The node "b" does not have the case "true".',
      'error /edges/3/case: The node "b" does not have the case "error".',
      warning,
    ]);
  });

  test("on_error: route needs an edge with the case error", async () => {
    const route = { ...set("a"), on_error: "route" };
    const body = { triggers: [manual("a")], nodes: [route, set("b")] };
    expect(await find({ ...body, edges: [{ from: "a", to: "b" }] })).toEqual([
      'error /nodes/0/on_error: The node "a" has on_error: route, and no edge with the case "error".',
    ]);
    expect(await find({ ...body, edges: [{ from: "a", to: "b", case: "error" }] })).toEqual([]);
  });

  test("The cases of a switch have names of their own, and default an edge", async () => {
    const cases = ["error", "default", "one", "one"].map((name) => ({ case: name, right: 1 }));
    const found = await findInNode({ type: "switch", value: 1, cases });
    expect(found).toEqual([
      'error /nodes/0/cases/0/case: "error" cannot be the name of a case.',
      'error /nodes/0/cases/1/case: "default" cannot be the name of a case.',
      'error /nodes/0/cases/3/case: The case "one" is there twice.',
      'warning /nodes/0: The switch "a" has no edge with the case "default".',
    ]);
  });
});

describe("triggers", () => {
  test("Of many schedules that never fire, the first ten are errors, and no other is looked at", async () => {
    const triggers = Array.from({ length: 50 }, (_, at) => ({
      id: `t${at}`,
      type: "cron",
      entry: "a",
      schedule: `${at} 0 0 31 2 *`,
      timezone: at === 49 ? "Nowhere/Land" : "UTC",
    }));
    const problems = await find({ triggers, nodes: [set("a")] });
    expect(problems.filter((one) => one.includes("never fires"))).toHaveLength(10);
    expect(problems.at(-1)).toStartWith("error /triggers/49/timezone: ");
  });

  test("A schedule has six fields, seconds first, and fires", async () => {
    for (const schedule of ["0 0 3 * * *", "*/5 * * * * MON-FRI", "0 30 9 L * *"]) {
      expect(await findInTrigger({ type: "cron", schedule, timezone: "Europe/Berlin" })).toEqual(
        [],
      );
    }
    for (const schedule of [
      "",
      "0 3 * * *",
      "@daily",
      "2026-12-01T00:00:00Z",
      "0 0 0 * * * 2027",
    ]) {
      const [problem] = await findInTrigger({ type: "cron", schedule });
      expect(problem).toStartWith("error /triggers/0/schedule: A schedule has six fields: ");
    }
    expect(await findInTrigger({ type: "cron", schedule: "61 * * * * *" })).toEqual([
      "error /triggers/0/schedule: The schedule is not valid: Invalid value for second: 61.",
    ]);
    expect(await findInTrigger({ type: "cron", schedule: "0 0 0 30 2 *" })).toEqual([
      "error /triggers/0/schedule: The schedule never fires.",
    ]);
  });

  test("A time zone is an IANA name", async () => {
    for (const timezone of ["Europe/Nowhere", "+02:00", ""]) {
      expect(await findInTrigger({ type: "cron", schedule: "0 0 3 * * *", timezone })).toEqual([
        `error /triggers/0/timezone: There is no time zone "${timezone}".`,
      ]);
    }
  });

  test("A slug has segments of plain characters, and no slash at its start", async () => {
    for (const path of ["orders", "orders/new", "v1.2/a_b~c-d"]) {
      expect(await findInTrigger({ type: "webhook", path })).toEqual([]);
    }
    for (const path of [
      "",
      "/orders",
      "orders/",
      "a//b",
      "a/../b",
      ".",
      "a b",
      "a?b",
      "ä",
      "a%2fb",
    ]) {
      expect(await findInTrigger({ type: "webhook", path })).toHaveLength(1);
    }
  });

  test("Two webhook triggers cannot accept the same request", async () => {
    const triggers = [
      hook({ path: "x", method: ["GET", "POST"] }),
      hook({ id: "two", path: "x" }),
      hook({ id: "three", path: "x", method: "PUT" }),
      hook({ id: "four" }),
      hook({ id: "five" }),
    ];
    expect(await find({ triggers, nodes: [set("a")] })).toEqual([
      'error /triggers/1/path: The trigger "hook" accepts POST requests with the same path.',
      'error /triggers/4/path: The trigger "four" accepts POST requests with the same path.',
    ]);
  });

  test("respond_node without a webhook_respond node that it reaches is a warning", async () => {
    const respond = { id: "b", type: "webhook_respond" };
    const body = { triggers: [hook({ respond_mode: "respond_node" })], nodes: [set("a"), respond] };
    const { problems } = await validateBody(body, publish);
    expect(problems[1]).toMatchObject({
      path: "/triggers/0/respond_mode",
      severity: "warning",
      message: 'No webhook_respond node can be reached from "a".',
    });
    expect(isValid(problems)).toBe(true);
    expect(await find({ ...body, edges: [{ from: "a", to: "b" }] })).toEqual([]);
  });

  test("The headers of an answer are of a list, and a redirect names its host", async () => {
    const respond = {
      id: "a",
      type: "webhook_respond",
      respond_status: 302,
      respond_headers: { "X-Accel-Redirect": "/x", Location: "{{.Event.Payload.query.to}}" },
    };
    const body = { triggers: [hook({ respond_mode: "respond_node" })], nodes: [respond] };
    expect((await validateBody(body, publish)).problems).toMatchObject([
      { path: "/nodes/0/respond_headers/X-Accel-Redirect", severity: "error" },
      { path: "/nodes/0/respond_headers/Location", severity: "error" },
    ]);
    const named = { "X-Order": "1", Location: "https://a.example/{{.Event.Payload.query.to}}" };
    expect(await find({ ...body, nodes: [{ ...respond, respond_headers: named }] })).toEqual([]);
  });

  test("A header of an answer that can never be sent is an error", async () => {
    const respond = (respond_headers: Record<string, string>) =>
      findInNode({ type: "webhook_respond", respond_headers });
    const never = (name: string) => [
      `error /nodes/0/respond_headers/${name}: The value of the header "${name}" can never be sent.`,
    ];
    expect(await respond({ "X A": "1" })).toEqual([
      'error /nodes/0/respond_headers/X A: "X A" is not the name of a header.',
    ]);
    for (const value of ["a\nb", "a\u0000b", "5 €", "x".repeat(8193), "a\n{{.Event.Payload}}"]) {
      expect(await respond({ "X-A": value })).toEqual(never("X-A"));
    }
    for (const value of ["", "a\tb", "é", "x".repeat(8192), "{{if .Event.Payload}}€{{end}}"]) {
      expect(await respond({ "X-A": value })).toEqual([]);
    }
    expect(await respond({ Location: "to https://a.example/" })).toEqual([
      "error /nodes/0/respond_headers/Location: The header Location is not a complete address.",
    ]);
    expect(await respond({ "X-A": "1", "x-a": "2" })).toEqual([
      'error /nodes/0/respond_headers/X-A: The header "X-A" is never sent, because a later one has the same name.',
    ]);
  });

  test("A header of a request that can never be sent is an error", async () => {
    const request = (headers: Record<string, string>) =>
      findInNode({ type: "http", url: "https://a.example/", headers });
    expect(
      await request({ "X A": "1", "X-B": "5 €", "X-C": "é", "x-c": "{{.Event.Payload}}" }),
    ).toEqual([
      'error /nodes/0/headers/X-C: The header "X-C" is never sent, because a later one has the same name.',
      'error /nodes/0/headers/X A: "X A" is not the name of a header.',
      'error /nodes/0/headers/X-B: The value of the header "X-B" can never be sent.',
    ]);
  });

  test("A trigger that is not connected yet has one problem, which says what to do", async () => {
    const trigger = hook({ entry: "", respond_mode: "respond_node" });
    const { problems } = await validateBody({ triggers: [trigger], nodes: [] }, publish);
    expect(problems.filter(({ path }) => path.startsWith("/triggers"))).toMatchObject([
      {
        path: "/triggers/0/entry",
        message: "The trigger leads to no node.",
        hint: "Connect it to the node that runs first.",
      },
    ]);
  });

  test("A missing value of any kind is asked for", async () => {
    const { problems } = await validateBody({ nodes: [{ id: "a", type: "set" }] }, publish);
    expect(problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      'The field "value" is missing. Give it a value.',
    ]);
  });

  test("A missing secret is named with what to do, also if the workflow has none", async () => {
    const trigger = hook({ secret_ref: "HOOK_KEY" });
    const body = { triggers: [trigger], nodes: [set("a")] };
    const hints = [[], ["OTHER"], ["HOOK_KEI"]].map(async (names) => {
      const { problems } = await validateBody(body, { ...publish, secretNames: new Set(names) });
      return problems.map(({ hint }) => hint);
    });
    expect((await Promise.all(hints)).flat()).toEqual([
      "Set the secret first.",
      "Set the secret first. Those that are set: OTHER.",
      'Did you mean "HOOK_KEI"?',
    ]);
  });

  test("A secret that does not exist is a warning in a draft and an error for publishing", async () => {
    const secretNames = new Set(["HOOK_KEY"]);
    const trigger = { type: "webhook", secret_ref: "HOOK_KEI" };
    const message =
      '/triggers/0/secret_ref: The workflow has no secret "HOOK_KEI", so every request is refused.';
    expect(await findInTrigger(trigger, { purpose: "draft", secretNames })).toEqual([
      `warning ${message}`,
    ]);
    expect(await findInTrigger(trigger, { purpose: "publish", secretNames })).toEqual([
      `error ${message}`,
    ]);
    expect(await findInTrigger(trigger)).toEqual([]);
  });

  test("A member of the payload that no trigger of the node gives is a warning", async () => {
    const input = [{ name: "BaseURL" }, { name: "Count" }];
    const read = (...names: string[]) =>
      set("a", names.map((name) => `{{.Event.Payload.${name}}}`).join(""));
    const findRead = (triggers: object[], ...names: string[]) =>
      find({ triggers, nodes: [read(...names), set("b")] });
    const warn = (name: string) =>
      `warning /nodes/0/value: No trigger that leads to the node gives .Event.Payload.${name}.`;
    const byHand = { ...manual("a"), input };
    const unread = expect.stringContaining('No trigger leads to the node "b"');
    expect(await findRead([byHand], "base_url", "BaseURL")).toEqual([unread, warn("BaseURL")]);
    expect(await findRead([hook({})], "body", "title")).toEqual([unread, warn("title")]);
    expect(await findRead([hook({}), byHand], "body", "count", "x")).toEqual([unread, warn("x")]);
    const elsewhere = { ...manual("b", "other"), input };
    expect(await findRead([hook({}), elsewhere], "count")).toEqual([warn("count")]);
    // These payloads can have any member.
    expect(await findRead([byHand, manual("a", "any")], "x")).toEqual([unread]);
    expect(await findRead([{ id: "at", type: "schedule_at", entry: "a" }], "x")).toEqual([unread]);
  });

  test("The hint for a webhook names the body, and a wrong member of the event is a warning", async () => {
    const nodes = [set("a", "{{.Event.Payload.title}}{{.Event.payload.body}}")];
    const { problems } = await validateBody({ triggers: [hook({})], nodes }, publish);
    expect(problems).toMatchObject([
      { hint: expect.stringContaining("The body of a request is .Event.Payload.body.") },
      { message: 'The event has no member "payload".', hint: 'Did you mean "Payload"?' },
    ]);
  });

  test("The fields of a manual trigger are checked as field tags", async () => {
    const input = [
      { name: "Owner", tag: "required;desc=The account" },
      { name: "Count", type: "integer", tag: "default=3" },
    ];
    expect(await findInTrigger({ type: "manual", input })).toEqual([]);
    expect(
      await findInTrigger({ type: "manual", input: [...input, { name: "X", tag: "requird" }] }),
    ).toEqual([
      'error /triggers/0/input/2/tag: The form, field X: attribute "requird" is not known. Did you mean "required"?',
    ]);
    expect(await findInTrigger({ type: "manual", input: [...input, { name: "Owner" }] })).toEqual([
      'error /triggers/0/input/2/name: The field "Owner" is there twice.',
    ]);
  });

  test("An error trigger names another workflow of the owner", async () => {
    const world: ValidationWorld = {
      purpose: "publish",
      workflowId: "mine-abc123",
      findWorkflow: async (id) => (id === "other-abc123" ? served : null),
    };
    const check = (source: string) =>
      findInTrigger({ type: "error", source_workflow: source }, world);
    expect(await check("other-abc123")).toEqual([]);
    expect(await check("*")).toEqual([]);
    expect(await check("mine-abc123")).toEqual([
      "error /triggers/0/source_workflow: A workflow cannot start from its own errors.",
    ]);
    expect(await check("third")).toEqual([
      'error /triggers/0/source_workflow: There is no workflow "third" of this owner.',
    ]);
  });

  test("A body has one schedule_at trigger at most", async () => {
    const trigger = { type: "schedule_at", entry: "a" };
    const triggers = [
      { ...trigger, id: "one" },
      { ...trigger, id: "two" },
    ];
    expect(await find({ triggers, nodes: [set("a")] })).toEqual([
      "error /triggers/1: There is a second schedule_at trigger.",
    ]);
  });
});

describe("nodes", () => {
  test("A script is checked by the interpreter, and is no template", async () => {
    const node = { type: "code", source: "return 1 +" };
    const message = "SyntaxError: the source ends too early";
    const checkSource = async () => ({ kind: "error" as const, message, line: 1 });
    const world = { purpose: "draft" as const, checkSource };
    expect(await findInNode(node, world)).toEqual([
      "error /nodes/0/source: The script has an error on line 1: SyntaxError: the source ends too early.",
    ]);
    expect(await findInNode(node, { ...world, checkSource: async () => null })).toEqual([]);
    for (const reason of ["busy", "late", "large", "failed"] as const) {
      const checkSource = async () => ({ kind: "unknown" as const, reason });
      const unchecked = "/nodes/0/source: The script could not be checked.";
      expect(await findInNode(node, { ...world, checkSource })).toEqual([`warning ${unchecked}`]);
      expect(await findInNode(node, { purpose: "publish", checkSource })).toEqual([
        `${reason === "busy" ? "error" : "warning"} ${unchecked}`,
      ]);
    }
    expect(await findInNode({ type: "code", source: "return '{{ .Secret.KEY }}'" })).toEqual([
      "error /nodes/0/source: The script contains a template, and scripts are not rendered.",
    ]);
  });

  test("http nodes are for owners who are admins, unless the hub allows them", async () => {
    const node = { type: "http", url: "https://example.com/{{.Event.Payload.id}}" };
    const owner = { isAdmin: false };
    expect(await findInNode(node, { purpose: "draft", owner })).toEqual([
      "error /nodes/0/type: Only workflows of admins may have http nodes on this hub.",
    ]);
    expect(await findInNode(node, { purpose: "draft", owner, areHttpNodesForUsers: true })).toEqual(
      [],
    );
    expect(await findInNode(node, { purpose: "draft", owner: { isAdmin: true } })).toEqual([]);
  });

  test("An address begins with its scheme or with a template, and GET has no body", async () => {
    expect(await findInNode({ type: "http", url: "{{.Env.X}}/a" }, { purpose: "draft" })).toEqual([
      'warning /nodes/0/url: The settings have no environment value "X".',
    ]);
    expect(await findInNode({ type: "http", url: "ftp://example.com", body: 1 })).toEqual([
      "error /nodes/0/url: The address does not begin with http:// or https://.",
      "error /nodes/0/body: A GET request has no body.",
    ]);
  });

  test("An operation is one that the owner sees", async () => {
    const found = { inputFields: [], disabled: null, missing: [] };
    const seen = { findOperation: async (id: string) => (id === toolId ? found : null) };
    expect(
      await findInNode({ type: "operation", tool_id: toolId }, { ...publish, ...seen }),
    ).toEqual([]);
    expect(await findInNode({ type: "operation", tool_id: "get" })).toEqual([
      "error /nodes/0/tool_id: The tool id is not the id of an operation.",
    ]);
    const other = { type: "operation", tool_id: `${toolId}_other` };
    const message = "/nodes/0/tool_id: The owner of the workflow has no such operation.";
    expect(await findInNode(other, { ...publish, ...seen })).toEqual([`error ${message}`]);
    expect(await findInNode(other, { purpose: "draft", ...seen })).toEqual([`warning ${message}`]);
  });

  test("A workflow node runs another workflow", async () => {
    const others = new Map([
      ["other", served],
      ["draft", { isPublished: false, isEnabled: true }],
      ["stopped", { isPublished: true, isEnabled: false }],
    ]);
    const findWorkflow = (id: string) => others.get(id) ?? null;
    const world = { ...publish, workflowId: "mine", findWorkflow };
    const check = (id: string) => findInNode({ type: "workflow", workflow_id: id }, world);
    expect(await check("other")).toEqual([]);
    expect(await check("draft")).toEqual([
      'warning /nodes/0/workflow_id: The workflow "draft" was never published, so the node fails.',
    ]);
    expect(await check("stopped")).toEqual([
      'warning /nodes/0/workflow_id: The workflow "stopped" is disabled, so the node fails.',
    ]);
    expect(await check("mine")).toEqual([
      "error /nodes/0/workflow_id: A workflow cannot run itself.",
    ]);
    expect(await check("third")).toEqual([
      'error /nodes/0/workflow_id: There is no workflow "third" that the owner may run.',
    ]);
  });

  test("A condition has the values that its operator needs, and a valid pattern", async () => {
    const conditions = [
      { left: 1, op: "eq" },
      { left: 1, op: "eq", right: null },
      { left: 1, op: "is_empty", right: 1 },
      { left: 1, op: "matches", right: "(?=x)" },
      { left: 1, op: "matches", right: "{{.Event.Payload.pattern}}" },
      { left: 1, op: "matches", right: 5 },
    ];
    const found = await findInNode({ type: "branch", conditions });
    expect(found.map((line) => line.slice(0, 60))).toEqual([
      "error /nodes/0/conditions/0/right: eq needs a second value.",
      "error /nodes/0/conditions/3/right: The pattern is not valid:",
      "error /nodes/0/conditions/5/right: The pattern of matches mu",
      "warning /nodes/0/conditions/2/right: is_empty has no second ",
    ]);
  });

  test("A wait has a duration or a time, and an approval has approvers", async () => {
    const wrong = "error /nodes/0: A wait node has either seconds or until.";
    expect(await findInNode({ type: "wait" })).toEqual([wrong]);
    expect(await findInNode({ type: "wait", seconds: 1, until: "{{now}}" })).toEqual([wrong]);
    expect(await findInNode({ type: "wait", seconds: "{{.Event.Payload.s}}" })).toEqual([]);
    expect(
      await findInNode({ type: "approval", title: "x", approvers: {} }, { purpose: "draft" }),
    ).toContain("error /nodes/0/approvers: The approval has no approvers.");
    const node = { type: "approval", title: "x", approvers: { tags: ["ops"] } };
    const nobody = "warning /nodes/0/approvers: No active user can decide this approval now.";
    expect(
      await findInNode(node, { purpose: "publish", hasApprover: async () => false }),
    ).toContain(nobody);
    expect(
      await findInNode(node, { purpose: "publish", hasApprover: async () => true }),
    ).not.toContain(nobody);
  });

  test("An approver that is named by an id or a name is a warning, which names the e-mail", async () => {
    const find = (users: string[]) =>
      findInNode({ type: "approval", title: "x", approvers: { users } }, { purpose: "draft" });
    const id = "6f1c9a52-0000-4000-8000-000000000001";
    expect(await find(["ada@example.com", "admin@localhost", " Ada@Example.com "])).toEqual([]);
    expect(await find(["ada@example.com", id])).toEqual([
      `warning /nodes/0/approvers/users/1: "${id}" is no e-mail address, so it names no approver.`,
    ]);
  });

  test("The values of an approval are checked like its details, and are bounded", async () => {
    const approval = { type: "approval", title: "x", approvers: { tags: ["ops"] } };
    const find = (values: unknown) => findInNode({ ...approval, values });
    const value = { label: "Amount", value: "{{.Event.Payload.amount}}" };
    expect(await find(Array(10).fill(value))).toEqual([]);
    expect(await find([value, { ...value, value: "{{.Node.gone.x}}" }])).toEqual([
      'error /nodes/0/values/1/value: The template reads "gone", which is no node.',
    ]);
    const secrets = { purpose: "publish", secretNames: new Set<string>() } as const;
    const values = [{ ...value, value: "{{.Secret.KEY}}" }];
    expect(await findInNode({ ...approval, values }, secrets)).toContain(
      'error /nodes/0/values/0/value: The workflow has no secret "KEY".',
    );
    for (const wrong of [
      Array(11).fill(value),
      [{ ...value, label: "" }],
      [{ ...value, label: "x".repeat(101) }],
      [{ ...value, label: "{{.Event}}" }],
      [{ ...value, value: "" }],
      [{ ...value, value: "x".repeat(4097) }],
      [{ ...value, more: 1 }],
    ]) {
      expect(await find(wrong)).toEqual([expect.stringMatching(/^error \/nodes\/0\/values/)]);
    }
  });

  test("Fields without an effect are warnings", async () => {
    expect(await findInNode({ type: "set", value: 1, retry: { attempts: 2 } })).toEqual([
      "warning /nodes/0/retry: A set node is never tried again.",
    ]);
  });
});

describe("templates", () => {
  /** `a` leads to `b` if a condition holds, and `b` and `a` lead to `c`. */
  const toBody = (value: unknown) => ({
    triggers: [manual("a")],
    nodes: [toBranch("a"), set("b"), set("c", value), set("d")],
    edges: [
      { from: "a", to: "b", case: "true" },
      { from: "b", to: "c" },
      { from: "a", to: "c", case: "false" },
      { from: "c", to: "d" },
    ],
  });

  test("A template may read nodes that run before in every run", async () => {
    expect(await find(toBody("{{.Node.a}} {{.Event.Payload.x}} {{.Run.id}}"))).toEqual([]);
  });

  test("Other nodes that may run before must be tested for", async () => {
    const found = await find(toBody({ list: ["{{.Node.b}}"] }));
    expect(found).toEqual([
      'error /nodes/2/value/list/0: The template reads "b", which does not run before "c" in every run.',
    ]);
    expect(await find(toBody("{{if .Node.b}}{{.Node.b}}{{end}}"))).toEqual([]);
    expect(await find(toBody('{{.Node.b | default "none"}}'))).toEqual([]);
  });

  test("Nodes that never run before cannot be read", async () => {
    expect(await find(toBody("{{.Node.d}}"))).toEqual([
      'error /nodes/2/value: The template reads "d", which never runs before "c".',
    ]);
    expect(await find(toBody("{{if .Node.d}}x{{end}}"))).toEqual([
      'warning /nodes/2/value: The template reads "d", which never runs before "c".',
    ]);
    const { problems } = await validateBody(toBody("{{.Node.bb}}"), publish);
    expect(problems).toEqual([
      {
        path: "/nodes/2/value",
        severity: "error",
        message: 'The template reads "bb", which is no node.',
        hint: 'Did you mean "b"?',
      },
    ]);
  });

  test("Every field that is a template is parsed, at any depth, and no other field", async () => {
    const wrong = "{{.Nope}}";
    const bodies = [
      { type: "operation", tool_id: toolId, params: { a: [{ b: wrong }] }, for_each: wrong },
      { type: "http", url: wrong, headers: { h: wrong }, query: { q: wrong } },
      { type: "http", url: "https://x", method: "POST", body: { b: wrong } },
      { type: "branch", conditions: [{ left: wrong, op: "eq", right: [wrong] }] },
      { type: "wait", seconds: wrong },
      { type: "wait", until: wrong },
      { type: "workflow", workflow_id: "x", payload: wrong },
      {
        type: "webhook_respond",
        respond_status: wrong,
        respond_body: wrong,
        respond_headers: { "x-h": wrong },
      },
      { type: "fail", message: wrong },
    ];
    const counts = await Promise.all(bodies.map(async (node) => (await findInNode(node)).length));
    expect(counts).toEqual([2, 3, 1, 2, 1, 1, 1, 3, 1]);
    expect(await findInNode({ type: "set", value: 1, label: wrong })).toEqual([]);
  });

  test("A template that cannot be parsed is an error with its place", async () => {
    const [problem] = await findInNode({ type: "set", value: "a\n{{if}}" });
    expect(problem).toStartWith("error /nodes/0/value: Line 2, column ");
  });

  test("Secrets and environment values must exist", async () => {
    const body = {
      triggers: [manual("a")],
      nodes: [set("a", "{{.Secret.KEI}} {{.Env.REGION}} {{.Env.constructor}}")],
      settings: { env: { REGION: "eu" } },
    };
    const messages = [
      '/nodes/0/value: The workflow has no secret "KEI".',
      '/nodes/0/value: The settings have no environment value "constructor".',
    ];
    const secretNames = new Set(["KEY"]);
    expect(await find(body, { purpose: "draft", secretNames })).toEqual(
      messages.map((message) => `warning ${message}`),
    );
    expect(await find(body, { purpose: "publish", secretNames })).toEqual(
      messages.map((message) => `error ${message}`),
    );
  });

  test("An environment value that is missing is named with what to do, also if the settings have none", async () => {
    const body = { triggers: [manual("a")], nodes: [set("a", "{{.Env.REGION}}")] };
    const hints = [{}, { OTHER: "" }, { REGIO: "" }].map(async (env) => {
      const { problems } = await validateBody({ ...body, settings: { env } }, publish);
      return problems.map(({ hint }) => hint);
    });
    expect((await Promise.all(hints)).flat()).toEqual([
      "Add it to the settings.",
      "Add it to the settings. Names: OTHER.",
      'Did you mean "REGIO"?',
    ]);
  });

  test(".Item exists in nodes with for_each, and not in for_each itself", async () => {
    const node = { type: "operation", tool_id: toolId, params: { id: "{{.Item.id}}" } };
    expect(await findInNode({ ...node, for_each: "{{.Event.Payload.list}}" })).toEqual([]);
    expect(await findInNode(node)).toEqual([
      "error /nodes/0/params/id: The template reads .Item or .Index, and the node has no for_each.",
    ]);
    expect(await findInNode({ ...node, for_each: "{{.Item}}" })).toEqual([
      "error /nodes/0/for_each: The list of for_each cannot read .Item or .Index.",
    ]);
  });
});
