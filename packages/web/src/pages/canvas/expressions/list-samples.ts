import type { WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import type { Body, Item } from "../graph/body.ts";
import { findAncestors } from "../graph/walk-graph.ts";
import type { Samples } from "./find-completions.ts";

type SampleSources = {
  body: Body;
  item: Item;
  secrets: readonly string[];
  /** The run whose values are shown. Null before the first one. */
  run: WorkflowRunDetail | null;
  /** The first item of the node's `for_each`, if it is known. */
  first?: unknown;
};

/** A step that is switched off has passed on the output of the one before it. */
const hasOutput: ReadonlySet<string> = new Set(["succeeded", "skipped"]);

/** What the expressions of an item can read, with the values of the last run. */
export function listSamples({ body, item, secrets, run, first }: SampleSources): Samples {
  const before = findAncestors(body, item.id);
  const outputs = new Map(
    (run?.steps ?? [])
      .filter(({ item: index, state }) => index === null && hasOutput.has(state))
      .map((step) => [step.node_id, restoreCut(step.output)]),
  );
  const nodes = body.nodes.filter(({ id }) => before.has(id)).map(({ id }) => id);
  const { env } = Object(body.settings);
  const event = restoreCut(run?.event) ?? {
    Type: undefined,
    TriggerID: undefined,
    Payload: undefined,
    Source: undefined,
    User: undefined,
    At: undefined,
  };
  return {
    Event: event,
    Node: Object.fromEntries(nodes.map((id) => [id, outputs.get(id)])),
    ...(typeof item.for_each === "string" && { Item: first, Index: 0 }),
    Env: Object(env),
    Secret: Object.fromEntries(secrets.map((name) => [name, "[secret]"])),
    Run: { ID: run?.id, At: run?.created_at },
    Workflow: { ID: undefined, Name: undefined, Version: undefined },
  };
}

/**
 * A value without the note that only a part of it is shown, so that what is left has the paths that it has
 * in the whole value.
 */
export function restoreCut(value: unknown): unknown {
  if (!Object.hasOwn(Object(value), "_truncated")) return value;
  const { _truncated: note, ...rest } = Object(value);
  const [first] = Array.isArray(Object(note).cuts) ? note.cuts : [];
  const isOfMember = /^result(?:[.[]|$)/.test(String(Object(first).path));
  // A list or a text has no members, so the hub puts it beside the note.
  const isBeside = Object.keys(rest).join() === "result" && !isOfMember;
  return isBeside ? rest.result : rest;
}
