import { expect, test } from "bun:test";
import type { TaskState } from "../../operations/ports.ts";
import { toInputRequest } from "./present-task.ts";

const shown = {
  rowLabel: "prod",
  connectorKey: "codehost",
  connectorName: "Code host",
  operationName: "Close issue",
  description: "",
  isDestructive: false,
  params: {},
  account: null,
  accountId: null,
  rule: null,
  note: null,
};

function toWaiting(reason: "account" | "approval"): TaskState {
  return {
    kind: "waiting",
    question: { id: "p1", state: "open", shown, isConfirmedByClient: false },
    reason,
    url: "https://hub.example/page",
    isForCaller: true,
    isAnswered: false,
  };
}

test("The account and the approval that a task asks for have keys of their own, because no key is used twice", () => {
  const client = { elicitation: { form: true, url: true } };
  const keys = (["account", "approval"] as const).map(
    (reason) => toInputRequest(toWaiting(reason), client)?.key,
  );
  expect(keys).toEqual(["account", "approval"]);
});
