/** Protects: a text from outside cannot imitate another part of a question in a chat. */
import { expect, test } from "bun:test";
import type { WorkflowApprovalDetail, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { toCard } from "./to-card.ts";

const at = "2026-01-02T03:04:05Z";

const approval: WorkflowApprovalDetail = {
  id: "a1",
  workflow_id: "w",
  workflow_name: "Deploy",
  run_id: "r",
  node_id: "ask",
  state: "pending",
  title: "Send?",
  values: [],
  subject: null,
  approvers: { tags: [], users: [] },
  started_by: "ada@example.com",
  created_at: at,
  expires_at: at,
  decided_at: null,
  decided_by: null,
  comment: null,
  may_decide: true,
  refusal: null,
  details: "",
  version: 1,
  sees_workflow: false,
  edited_by: [],
  self: false,
  hash: "h",
  will_run: [],
  will_run_more: 0,
  asked_in_chat: [],
};

const node: WorkflowWillRun = {
  node_id: "say",
  label: null,
  type: "channel",
  target: "ops send_message",
  row_label: null,
  connector_key: null,
  connector_name: null,
  operation_name: null,
  operation_description: null,
  target_name: null,
  destructive: false,
  fields: {},
  is_rendered: true,
  is_cut: false,
  depends_on: [],
  uses_time: false,
  items: null,
  problem: null,
};

const make = (change: Partial<WorkflowApprovalDetail>) =>
  toCard("m1", { ...approval, ...change }, "https://hub.example.com");

const findQuote = (change: Partial<WorkflowApprovalDetail>, name: string) => {
  const found = make(change).parts.find((part) => part.kind === "quote" && part.name === name);
  return found?.kind === "quote" ? found.text : null;
};

const describe = (change: Partial<WorkflowWillRun>) =>
  findQuote({ will_run: [{ ...node, ...change }] }, "What will run");

test("A card has the heading, the facts and what will run", () => {
  expect(make({})).toEqual({
    id: "m1",
    heading: "Approval: Send?",
    summary: "Approval: Send?",
    isOpen: true,
    parts: [
      {
        kind: "facts",
        facts: [
          ["Workflow", "Deploy"],
          ["Started by", "ada@example.com"],
          ["Expires at", at],
        ],
      },
      { kind: "quote", name: "What will run", text: "Nothing that changes other systems." },
    ],
    url: "https://hub.example.com/approvals/a1",
  });
});

test("A decision stands before the comment, which is a quote of its own", () => {
  const card = make({
    state: "denied",
    decided_by: "bea@example.com",
    decided_at: at,
    comment: "No.\nApproved by boss@example.com.",
  });
  expect(card).toMatchObject({
    isOpen: false,
    summary: `Denied by bea@example.com at ${at}. Approval: Send?`,
  });
  expect(card.parts.slice(-2)).toEqual([
    { kind: "note", text: `Denied by bea@example.com at ${at}.` },
    { kind: "quote", name: "Comment", text: "No.\nApproved by boss@example.com." },
  ]);
});

test("Titles and facts are one line, without space that pushes a part of them to the next one", () => {
  const name = `x${"\u00a0".repeat(80)}\r\nStarted by: boss\u2028\u202Eevil`;
  const line = "x Started by: boss evil";
  const { heading, parts } = make({ title: name, workflow_name: name, started_by: name });
  expect(heading).toBe(`Approval: ${line}`);
  expect(parts[0]).toMatchObject({
    facts: [
      ["Workflow", line],
      ["Started by", line],
      ["Expires at", at],
    ],
  });
});

test("Details keep their lines without empty space that hides what follows", () => {
  const details = `one\n${" \n".repeat(50)}\ttwo\u202E\u{e0041}\r\n`;
  expect(findQuote({ details }, "Details")).toBe("one\n\n\ttwo");
  expect(findQuote({ details: "\u200b\n" }, "Details")).toBeNull();
});

test("A label is a quoted text behind what the node calls", () => {
  const label = 'Say" (channel ops send_message): {}\n• http GET (x';
  expect(describe({ label })).toBe(
    '• channel ops send_message ("Say\\" (channel ops send_message): {} • http GET (x"): {}',
  );
});

test("What a node gets is one line of JSON, and shows its invisible characters as escapes", () => {
  const fields = { text: "a\u202Eb\u200b\u{e0041}\u2028\u2800c\n• x" };
  expect(describe({ fields })).toBe(
    '• channel ops send_message (say): {"text":"a\\u202eb\\u200b\\udb40\\udc41\\u2028\\u2800c\\n• x"}',
  );
  const items = { count: 2, shown: ["\u2066"] };
  expect(describe({ items, problem: "Bad\n• \u202Eline" })).toBe(
    '• channel ops send_message, 2 times (say): ["\\u2066"] Bad • line',
  );
});

test("A card of long texts says that it is a part", () => {
  for (const change of [
    { title: "x".repeat(200) },
    { details: "x".repeat(2_000) },
    { will_run: [{ ...node, fields: "x".repeat(400) }] },
    { will_run_more: 1 },
  ]) {
    expect(JSON.stringify(make(change).parts)).toContain("This is a part.");
  }
});

const subject = {
  type: "operation",
  target: "conn:1/create_order",
  target_name: null,
  row_label: "Orders",
  connector_key: "shop",
  connector_name: "Shop",
  operation_name: "Create order",
  destructive: true,
};

test("What is acted on and the values that decide stand above what will run", () => {
  const values = [
    { label: "Amount", value: "12\n• x", is_cut: false },
    { label: "To: all\n", value: "a\\u202eb", is_cut: false },
  ];
  const { parts } = make({ subject, values, details: "Why." });
  expect(parts[0]).toMatchObject({
    facts: expect.arrayContaining([["Acts on", "Orders (Shop): Create order"]]),
  });
  expect(parts.slice(1, 3)).toEqual([
    { kind: "quote", name: "Values", text: "Amount: 12 • x\nTo: all: a\\u202eb" },
    { kind: "quote", name: "Details", text: "Why." },
  ]);
  expect(JSON.stringify(parts)).not.toContain("This is a part.");
  const cut = values.map((value) => ({ ...value, is_cut: true }));
  expect(JSON.stringify(make({ values: cut }).parts)).toContain("This is a part.");
});

test("An operation has the names of its row and itself, as one quoted text", () => {
  expect(describe(subject)).toBe('• operation "Orders (Shop): Create order" (say): {}');
  expect(describe({ ...subject, row_label: null, operation_name: null })).toBe(
    "• operation conn:1/create_order (say): {}",
  );
  expect(describe({ ...subject, row_label: "Shop", operation_name: 'x" (say): {}\n• y' })).toBe(
    '• operation "Shop: x\\" (say): {} • y" (say): {}',
  );
});

test("A request acts on its host, and another workflow is named, as quoted text", () => {
  const none = { row_label: null, connector_key: null, connector_name: null, operation_name: null };
  const about = (change: object) => {
    const { parts } = make({ subject: { ...subject, ...none, ...change } });
    const [facts] = parts;
    const found = facts?.kind === "facts" ? facts.facts : [];
    return found.find(([name]) => name === "Acts on")?.[1];
  };
  const request = { type: "http", target: "POST" };
  expect(about({ ...request, target_name: "api.example.com" })).toBe("POST api.example.com");
  expect(about(request)).toBe("POST");
  const started = { type: "workflow", target: "refunds-a1b2c3", target_name: "Refunds\n• x" };
  expect(about(started)).toBe("the workflow Refunds • x");
  expect(about({ ...started, target_name: null })).toBe(undefined);
  expect(describe({ ...none, ...started })).toBe('• workflow "Refunds • x" (say): {}');
  expect(describe({ ...none, ...started, target_name: null })).toBe(
    "• workflow refunds-a1b2c3 (say): {}",
  );
});

test("The longest cards fit into a message of Telegram, with their address, and show a part of each value", () => {
  const long = "€".repeat(4_096);
  const values = Array.from({ length: 10 }, (_, at) => ({
    label: `${at}${long}`.slice(0, 100),
    value: `v${at}${long}`,
    is_cut: false,
  }));
  const longest: Partial<WorkflowApprovalDetail> = {
    title: long,
    workflow_name: long,
    started_by: long,
    edited_by: [long],
    subject: { ...subject, row_label: long, operation_name: long },
    values,
    details: long,
    will_run: Array.from({ length: 10 }, () => ({ ...node, label: long, fields: { long } })),
    will_run_more: 5,
    comment: long,
  };
  const ascii = JSON.parse(JSON.stringify(longest).replaceAll("€", "x"));
  const ended = {
    state: "denied",
    decided_by: `${"b".repeat(240)}@example.com`,
    decided_at: at,
  } as const;
  for (const change of [longest, ascii, { ...ascii, ...ended }]) {
    const card = make({ comment: null, ...change });
    const { heading, parts } = card;
    const texts = parts.map((part) => {
      if (part.kind === "facts") return part.facts.map((fact) => fact.join(": ")).join("\n");
      return part.kind === "quote" ? `${part.name}:\n${part.text}` : part.text;
    });
    const whole = [heading, ...texts, `https://${"h".repeat(60)}/approvals/${"a".repeat(36)}`];
    expect(whole.join("\n\n").length).toBeLessThanOrEqual(4_096);
    const shown = texts.join("\n");
    for (const at of values.keys()) expect(shown).toContain(`: v${at}`);
    expect(shown).toContain("• channel ops send_message");
    expect(heading.length).toBeLessThanOrEqual(150);
  }
});
