import { expect, test } from "bun:test";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { listNotes, readSubject } from "./subject.ts";

const none = {
  row_label: null,
  connector_key: null,
  connector_name: null,
  operation_name: null,
  destructive: false,
};
const shown = { node_id: "pay", label: null, type: "http", target: "POST" };
// What is not read is left out.
const node = { ...shown, ...none, operation_description: null } as WorkflowWillRun;
const names = {
  row_label: "Orders",
  connector_key: "stripe",
  connector_name: "Stripe",
  operation_name: "refund_payment",
  destructive: true,
};

test("The subject of an approval is the row and the operation of the first step", () => {
  const expected = {
    system: "Orders",
    connector: { key: "stripe", name: "Stripe" },
    action: "refund_payment",
    description: null,
    isDestructive: true,
  };
  expect(readSubject({ subject: names })).toEqual(expected);
  const operation = { ...node, ...names, operation_description: "Pays back." };
  expect(readSubject({ subject: null, will_run: [operation] })).toEqual({
    ...expected,
    description: "Pays back.",
  });
});

test("A step without a row is named by its kind, and nothing that follows has no subject", () => {
  expect(readSubject({ subject: null, will_run: [node] })).toMatchObject({
    system: "HTTP request",
    connector: null,
    action: "pay: POST",
  });
  expect(readSubject({ subject: none, will_run: [{ ...node, label: "Refund" }] })).toMatchObject({
    action: "Refund: POST",
  });
  expect(readSubject({ subject: null, will_run: [] })).toBe(null);
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
