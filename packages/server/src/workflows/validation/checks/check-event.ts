import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { z } from "zod";
import { toFields } from "../../runs/start/read-manual-payload.ts";
import type { References } from "../../templates/find-references.ts";
import { eventSchema, payloadSchemas } from "../../triggers/payload-schemas.ts";
import { suggestOne } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";
import type { ValidationWorld } from "../validation-world.ts";

/** Checks what a template of a node reads from the event. */
export type EventCheck = (
  problems: ProblemList,
  location: { path: Path; nodeId: string },
  references: Pick<References, "event">,
) => void;

type EventWorld = Pick<ValidationWorld, "findChannel">;

const eventNames = Object.keys(eventSchema.shape);

/**
 * Warns of members that the event of no run of the node has. They print `<no value>`, which is easily
 * overlooked: the run succeeds.
 */
export function createEventCheck(
  { triggers }: WorkflowBody,
  graph: Graph,
  world: EventWorld,
): EventCheck {
  const known = triggers.map((trigger) => ({
    type: trigger.type,
    reached: graph.reachableFrom(trigger.entry),
    names: listPayloadNames(trigger, world),
  }));
  return (problems, { path, nodeId }, { event }) => {
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
  };
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
      const events = world.findChannel?.(trigger.channel)?.events ?? [];
      const schema = events.find(({ id }) => id === trigger.event)?.payload;
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
