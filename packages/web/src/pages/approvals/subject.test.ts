import { expect, test } from "bun:test";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { listNotes, readSubject } from "./subject.ts";

const none = {
  type: null,
  target: null,
  target_name: null,
  row_label: null,
  connector_key: null,
  connector_name: null,
  operation_name: null,
  destructive: false,
};
const shown = { node_id: "pay", label: null, type: "http", target: "POST" };
// What is not read is left out.
const node = { ...none, ...shown, operation_description: null } as WorkflowWillRun;
const names = {
  type: "operation",
  target: "conn:1/refund",
  target_name: null,
  row_label: "Orders",
  connector_key: "stripe",
  connector_name: "Stripe",
  operation_name: "refund_payment",
  destructive: true,
};

test("The subject of an approval is the row and the operation of the first step", () => {
  const expected = {
    system: "Orders",
    kind: "Stripe",
    connectorKey: "stripe",
    icon: "connectors" as const,
    action: "refund_payment",
    description: null,
    isDestructive: true,
  };
  expect(readSubject({ subject: names })).toEqual(expected);
  // A version before has no type.
  expect(readSubject({ subject: { ...names, type: null, target: null } })).toEqual(expected);
  const operation = { ...node, ...names, operation_description: "Pays back." };
  expect(readSubject({ subject: null, will_run: [operation] })).toEqual({
    ...expected,
    description: "Pays back.",
  });
});

test("A step without a row is named by its host or its kind, and nothing that follows has no subject", () => {
  const step = { kind: "HTTP request", connectorKey: null, icon: "cloud" };
  expect(readSubject({ subject: null, will_run: [node] })).toMatchObject({
    ...step,
    system: "HTTP request",
    action: "pay: POST",
  });
  const labelled = { ...node, label: "Refund", target_name: "api.example.com" };
  expect(readSubject({ subject: none, will_run: [labelled] })).toMatchObject({
    action: "Refund: POST",
  });
  const subject = { ...none, type: "http", target: "POST", target_name: "api.example.com" };
  const expected = { ...step, system: "api.example.com" };
  expect(readSubject({ subject, will_run: [labelled] })).toMatchObject({
    ...expected,
    action: "Refund: POST",
  });
  expect(readSubject({ subject })).toMatchObject({ ...expected, action: "POST" });
  expect(readSubject({ subject: none })).toBe(null);
  expect(readSubject({ subject: null, will_run: [] })).toBe(null);
});

test("A step that runs a workflow is named by it, or by its id if the name is not known", () => {
  const subject = { ...none, type: "workflow", target: "refunds-a1b2c3", target_name: "Refunds" };
  expect(readSubject({ subject })).toMatchObject({
    system: "Refunds",
    kind: "Run a workflow",
    action: "",
  });
  expect(readSubject({ subject: { ...subject, target_name: null } })).toMatchObject({
    system: "Run a workflow",
    action: "refunds-a1b2c3",
  });
});

test("What follows besides, how often it runs and what is open are said", () => {
  const exact = { ...node, is_rendered: true, items: null };
  expect(listNotes({ will_run: [exact] })).toEqual([]);
  expect(listNotes({ will_run: [] })).toEqual([]);
  expect(listNotes({ will_run: [exact, exact] })).toEqual([
    "1 more step that changes something follows.",
  ]);
  const many = { ...exact, is_rendered: false, items: { count: 1200, shown: [] } };
  expect(listNotes({ will_run: [many, exact], will_run_more: 3 })).toEqual([
    "It runs 1,200 times.",
    "What it gets is not known yet.",
    "4 more steps that change something follow.",
  ]);
});
