import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { listMethods } from "../webhooks/receive/find-webhook-trigger.ts";
import { describeSchedule } from "./describe-schedule.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { toList } from "./words.ts";

/** What starts runs by this trigger, and their first step. */
export function summarizeTrigger(world: ExplainWorld, trigger: WorkflowTrigger): string[] {
  return [describeStart(world, trigger), `First step: ${toCodeSpan(trigger.entry)}.`];
}

function describeStart(world: ExplainWorld, trigger: WorkflowTrigger): string {
  switch (trigger.type) {
    case "cron": {
      const { schedule, timezone = world.timezone } = trigger;
      const words = describeSchedule(schedule) ?? "A schedule that is not valid";
      return `${words}, in ${toCodeSpan(timezone)}: ${toCodeSpan(schedule)}.`;
    }
    case "webhook": {
      const { path, secret_ref: secret } = trigger;
      const address = `/webhook/${world.workflowId}${path === undefined ? "" : `/${path}`}`;
      const login = secret === undefined ? "without a signature" : `with ${toCodeSpan(secret)}`;
      const methods = toList([...listMethods(trigger)], "or");
      return `A ${methods} request to ${toCodeSpan(address, 500)}, ${login}.`;
    }
    case "channel": {
      const label = world.findChannelLabel(trigger.channel) ?? trigger.channel;
      return `The event ${toCodeSpan(trigger.event)} of the channel ${toCodeSpan(label)}.`;
    }
    case "manual": {
      const fields = trigger.input.map(({ name }) => toCodeSpan(name));
      return fields.length === 0 ? "By hand." : `By hand, with ${toList(fields)}.`;
    }
    case "schedule_at":
      return "At a time that an earlier run named.";
    case "error": {
      const { source_workflow: source } = trigger;
      const name = world.findWorkflowName(source) ?? source;
      return source === "*" ? "When another run fails." : `When ${toCodeSpan(name)} fails.`;
    }
  }
}
