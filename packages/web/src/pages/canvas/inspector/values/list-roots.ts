import type { Samples } from "../../expressions/find-completions.ts";
import { toShapeOf, UnknownValue } from "../../expressions/schema-shape.ts";
import { type Body, findItem, type Item, isTrigger } from "../../graph/body.ts";
import { toTitle } from "../../graph/describe-item.ts";
import type { ItemRow } from "../../graph/flow.ts";
import { findRowId } from "../../graph/item-row.ts";
import { findItemType } from "../../graph/item-types.ts";
import { findAncestors, sortItems } from "../../graph/walk-graph.ts";
import { toSamplePayload } from "../../run/start/sample-payload.ts";
import type { ValueRoot } from "./value-rows.ts";

type Sources = {
  body: Body;
  item: Item;
  /** What expressions of the item can read, with the values of the last run. */
  samples: Samples;
  /** Whether there is a run. */
  hasRun: boolean;
  /** The shapes of outputs and of the event's payload that were read, by the id of the item. */
  shapes: ReadonlyMap<string, unknown>;
  /** The rows of the operations, by their ids. */
  rows: ReadonlyMap<string, ItemRow>;
};

/** What the expressions of an item can read, as the tree shows it: the event, earlier nodes, and the rest. */
export function listRoots({ body, item, rows, ...known }: Sources): ValueRoot[] {
  const { samples, hasRun } = known;
  const before = findAncestors(body, item.id);
  const triggers = body.triggers.filter(({ id }) => hasRun || before.has(id) || id === item.id);
  const ids = sortItems(body).filter((id) => before.has(id) && !isTrigger(body, id));
  const nodes = ids.flatMap((id) => findItem(body, id) ?? []);
  const roots = [
    toEventRoot(triggers, known),
    ...nodes.map((node) => ({
      ...toNodeRoot(node, known),
      row: rows.get(findRowId(node) ?? "") ?? null,
    })),
    ...("Item" in samples
      ? [toRoot("Item", "The item of this round", samples.Item), toRoot("Index", "Its position", 0)]
      : []),
    { ...toRoot("Env", "Values of the settings", samples.Env), isGroup: true },
    { ...toRoot("Secret", "Secrets, only their names", samples.Secret), isGroup: true },
    { ...toRoot("Run", "This run", samples.Run), isGroup: true },
    { ...toRoot("Workflow", "This workflow", samples.Workflow), isGroup: true },
  ];
  return roots.filter(({ value, isGroup }) => !isGroup || Object.keys(Object(value)).length > 0);
}

const toRoot = (name: string, detail: string, value: unknown): ValueRoot => ({
  path: [name],
  name,
  detail,
  icon: name === "Secret" ? "key" : name === "Env" ? "settings" : "runs",
  value,
  isGroup: false,
  note: null,
});

type Known = Pick<Sources, "samples" | "hasRun" | "shapes">;

function toEventRoot(triggers: readonly Item[], { samples, hasRun, shapes }: Known): ValueRoot {
  const { TriggerID: by } = Object(samples.Event);
  const trigger = triggers.find(({ id }) => id === by) ?? triggers[0];
  const icon = trigger === undefined ? "play" : findItemType(trigger, true).icon;
  const detail = trigger === undefined ? "What started the run" : toTitle(trigger, true);
  const root = { ...toRoot("Event", detail, samples.Event), icon };
  if (hasRun) return root;
  const read = trigger === undefined ? undefined : shapes.get(trigger.id);
  const Payload = read ?? (trigger && toShapeOf(toSamplePayload(trigger)));
  const names = ["Type", "TriggerID", "Source", "User", "At"];
  const others = names.map((name) => [name, new UnknownValue("text")]);
  return { ...root, value: { Payload, ...Object.fromEntries(others) } };
}

function toNodeRoot(node: Item, { samples, hasRun, shapes }: Known): ValueRoot {
  const value = Object(samples.Node)[node.id];
  const root: ValueRoot = {
    path: ["Node", node.id],
    name: toTitle(node, false),
    detail: node.id,
    icon: findItemType(node, false).icon,
    value,
    isGroup: false,
    note: null,
  };
  if (value !== undefined) return root;
  const shape = shapes.get(node.id) ?? toOwnShape(node);
  const isList = typeof node.for_each === "string" && shape !== undefined;
  const note = hasRun ? "No output in this run" : null;
  return { ...root, value: isList ? [shape] : shape, note };
}

/** The shape of an output that the fields of the node say. */
function toOwnShape({ type, value }: Item): unknown {
  if (type === "http") return toShapeOf({ status: 200, headers: {}, body: "" });
  if (type === "branch" || type === "switch") return new UnknownValue("text");
  if (type !== "set" || typeof value !== "object") return undefined;
  return toShapeOf(value);
}
