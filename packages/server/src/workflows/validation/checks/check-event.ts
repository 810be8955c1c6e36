import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { z } from "zod";
import { toFields } from "../../runs/start/read-manual-payload.ts";
import type { References } from "../../templates/find-references.ts";
import { describePayload, eventSchema, payloadSchemas } from "../../triggers/payload-schemas.ts";
import { suggestOne } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import { listMembers, type Shape, type ShapeBudget } from "../outputs/find-member.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";
import type { ValidationWorld } from "../validation-world.ts";
import { findMissing, findTested } from "./check-outputs.ts";

/** Checks what a template of a node reads from the event. */
export type EventCheck = (
  problems: ProblemList,
  location: { path: Path; nodeId: string },
  references: Pick<References, "event" | "reads">,
) => Promise<void>;

type EventWorld = Pick<ValidationWorld, "findChannel">;

const eventNames = Object.keys(eventSchema.shape);

/**
 * Warns of members that the event of no run of the node has. They print `<no value>`, which is easily
 * overlooked: the run succeeds.
 */
export function createEventCheck({
  body,
  graph,
  world,
  budget,
  pace,
}: {
  body: WorkflowBody;
  graph: Graph;
  world: EventWorld;
  budget: ShapeBudget;
  pace: Pace;
}): EventCheck {
  const known = body.triggers.map((trigger) => ({
    type: trigger.type,
    reached: graph.reachableFrom(trigger.entry),
    names: listPayloadNames(trigger, world),
    findShape: lazy(() => findPayload(trigger, world)),
  }));
  return async (problems, { path, nodeId }, { event, reads }) => {
    if (event.length === 0) return;
    const sources = known.filter(({ reached }) => reached.has(nodeId));
    const isOpen = sources.length === 0 || sources.some(({ names }) => names === null);
    const names = [...new Set(sources.flatMap((source) => source.names ?? []))];
    for (const [name = "", member] of event) {
      if (!eventNames.includes(name)) {
        const hint = () => suggestOne(name, eventNames, "Members");
        problems.warn(path, `The event has no member ${quote(name)}.`, hint);
      } else if (name === "Payload" && member !== undefined && !isOpen && !names.includes(member)) {
        const message = `No trigger that leads to the node gives .Event.Payload.${quote(member).slice(1, -1)}.`;
        const isWebhook = sources.some(({ type }) => type === "webhook");
        const start = isWebhook ? "The body of a request is .Event.Payload.body. " : "";
        problems.warn(path, message, () => start + suggestOne(member, names, "Members"));
      }
    }
    if (isOpen) return;
    const isTested = findTested(reads);
    for (const { root, path: read } of reads) {
      const [payload, first = "", ...members] = read;
      if (root !== "Event" || payload !== "Payload" || members.length === 0) continue;
      if (!names.includes(first)) continue;
      await pace();
      const shapes = sources.flatMap(({ findShape }) => findShape() ?? []);
      const missing = findMissing(budget, shapes, [first, ...members]);
      if (missing === null || isTested(root, ["Payload", ...missing.names])) continue;
      const place = quote(missing.names.join(".")).slice(1, -1);
      const message = `No trigger that leads to the node gives .Event.Payload.${place}.`;
      const last = missing.names.at(-1) ?? "";
      problems.warn(path, message, () => suggestOne(last, listMembers(missing.in), "Members"));
    }
  };
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The payload of a trigger; null if nothing is known of it. */
function findPayload(trigger: WorkflowTrigger, world: EventWorld): Shape | null {
  try {
    const schema =
      trigger.type === "channel"
        ? z.toJSONSchema(findChatPayload(trigger, world) ?? z.unknown(), { unrepresentable: "any" })
        : describePayload(trigger);
    return { kind: "schema", schema, root: schema };
  } catch {
    // The check of the trigger names the field with a wrong tag.
    return null;
  }
}

function findChatPayload(
  trigger: Extract<WorkflowTrigger, { type: "channel" }>,
  world: EventWorld,
): z.ZodType | undefined {
  const events = world.findChannel?.(trigger.channel)?.events ?? [];
  return events.find(({ id }) => id === trigger.event)?.payload;
}

/** The names in the payload of a trigger; null if it can have any. */
function listPayloadNames(trigger: WorkflowTrigger, world: EventWorld): string[] | null {
  switch (trigger.type) {
    case "cron":
    case "webhook":
    case "error":
      return Object.keys(payloadSchemas[trigger.type].shape);
    case "manual":
      return listFieldNames(trigger);
    case "schedule_at":
      return null;
    case "channel": {
      const schema = findChatPayload(trigger, world);
      return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
    }
  }
}

function listFieldNames(trigger: Extract<WorkflowTrigger, { type: "manual" }>): string[] | null {
  if (trigger.input.length === 0) return null;
  try {
    return toFields(trigger).map(({ key }) => key);
  } catch {
    // The check of the trigger names the field with a wrong tag.
    return null;
  }
}
