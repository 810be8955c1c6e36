import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { TriggerOf, WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { listMethods } from "../webhooks/find-webhook-trigger.ts";
import {
  findSignatureHeader,
  findSignatureKind,
  signatureKinds,
} from "../webhooks/signature-kinds.ts";
import { describeSchedule } from "./describe-schedule.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { showData } from "./show-data.ts";
import { toCount, toDuration, toList } from "./words.ts";

/** What starts runs by this trigger. The last sentence names the first step. */
export function explainTrigger(world: ExplainWorld, trigger: WorkflowTrigger): string[] {
  return [...explainStart(world, trigger), `Runs begin at ${toCodeSpan(trigger.entry)}.`];
}

function explainStart(world: ExplainWorld, trigger: WorkflowTrigger): string[] {
  switch (trigger.type) {
    case "cron":
      return explainCron(world, trigger);
    case "webhook":
      return explainWebhook(world, trigger);
    case "channel":
      return explainChannel(world, trigger);
    case "manual":
      return explainManual(trigger);
    case "schedule_at":
      return [
        "It starts at the time that an output of this workflow names as `schedule_at`, with that output as its payload.",
      ];
    case "error":
      return [explainErrors(world, trigger)];
  }
}

function explainCron(world: ExplainWorld, { schedule, timezone, catch_up }: TriggerOf<"cron">) {
  const words = describeSchedule(schedule);
  const zone = timezone ?? world.timezone;
  const place =
    timezone === undefined ? `${toCodeSpan(zone)} (the time zone of the hub)` : toCodeSpan(zone);
  return [
    words === null
      ? `The schedule ${toCodeSpan(schedule)} is not valid.`
      : `${words}, in ${place}. The schedule is ${toCodeSpan(schedule)}.`,
    ...(catch_up === "last"
      ? ["After a time without a running hub, the last tick that was missed starts a run."]
      : []),
  ];
}

const answers = {
  immediately: "The sender gets the answer 202 at once, and the run goes on.",
  last_node: "The sender waits for the end of the run, and gets its last output.",
  respond_node: "The sender waits for the answer of the first step that responds.",
};

function explainWebhook(world: ExplainWorld, trigger: TriggerOf<"webhook">): string[] {
  const { path, secret_ref: secret, replay_window_s: windowS, respond_mode: mode } = trigger;
  const methods = toList([...listMethods(trigger)], "or");
  const base = `${world.baseUrl}/webhook/${world.workflowId}`;
  const address = toCodeSpan(path === undefined ? base : `${base}/${path}`, 500);
  const below = path === undefined ? ` and every path below it` : "";
  const header = toCodeSpan(findSignatureHeader(trigger));
  const { isSecret, isTimed } = signatureKinds[findSignatureKind(trigger)];
  return [
    `It starts with a ${methods} request to ${address}${below}.`,
    secret === undefined
      ? "Requests need no signature."
      : isSecret
        ? `Requests must have the secret ${toCodeSpan(secret)} in ${header}.`
        : `Requests must be signed in ${header} with the secret ${toCodeSpan(secret)}.`,
    ...(secret !== undefined && windowS !== undefined && isTimed
      ? [
          `They must also be signed with their time, which may differ from the hub's clock by ${toDuration(windowS)}.`,
        ]
      : []),
    answers[mode],
  ];
}

function explainChannel(world: ExplainWorld, { channel, event, match }: TriggerOf<"channel">) {
  const known = world.findChannel(channel);
  const place =
    known === null
      ? `the channel ${toCodeSpan(channel)}`
      : `the channel ${toCodeSpan(known.label)} (${toCodeSpan(channel)})`;
  const filters = Object.entries(match).filter(
    ([, value]) => !(Array.isArray(value) && value.length === 0),
  );
  return [
    `It starts with the event ${toCodeSpan(event)} of ${place}.`,
    filters.length === 0
      ? "There is no filter: each such event starts a run."
      : `Only if ${toList(filters.map(([key, value]) => `${toCodeSpan(key)} matches ${showData(value)}`))}.`,
  ];
}

function explainManual({ input, as_tool: isTool }: TriggerOf<"manual">): string[] {
  const names = input.map(({ name }) => toCodeSpan(name));
  return [
    input.length === 0
      ? "A person or a model starts it by hand, with any JSON object as payload."
      : `A person or a model starts it by hand, with ${toCount(input.length, "field")}: ${toList(names)}.`,
    ...(isTool ? ["Users who share a tag with the workflow can call it as a tool."] : []),
  ];
}

function explainErrors(
  world: ExplainWorld,
  { source_workflow: source, severity }: TriggerOf<"error">,
): string {
  const levels = severity === undefined ? [] : [severity].flat();
  const level = levels.length === 0 ? "" : ` with the severity ${toList(levels, "or")}`;
  if (source === "*") {
    const all = world.owner.isAdmin ? "any other workflow" : "another workflow of the owner";
    return `It starts when a run of ${all} fails${level}.`;
  }
  const name = world.findWorkflowName(source);
  const shown = name === null ? toCodeSpan(source) : `${toCodeSpan(name)} (${toCodeSpan(source)})`;
  return `It starts when a run of the workflow ${shown} fails${level}.`;
}
