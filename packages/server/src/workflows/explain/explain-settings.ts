import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { ExplainWorld } from "./explain-world.ts";
import { toCount, toDuration, toList } from "./words.ts";

/** The user that runs act as, what happens when they meet, and their limits. */
export function explainSettings(
  world: ExplainWorld,
  { queue, timeout_s: timeoutS, severity, env }: WorkflowBody["settings"],
): string[] {
  const names = Object.keys(env);
  return [
    `Runs act as ${toCodeSpan(world.owner.email)}, with the rights of that user at that moment.`,
    ...explainQueue(queue),
    ...(queue.frees_place ? ["A run that waits gives its place to another."] : []),
    `A run may run for at most ${toDuration(timeoutS)}. The time that it waits does not count.`,
    `A failed run has the severity ${severity}.`,
    ...(names.length === 0
      ? []
      : [
          `Templates read ${toCount(names.length, "fixed value")}: ${toList(names.map((name) => `${toCodeSpan(name)} = ${toCodeSpan(env[name] ?? "", 80)}`))}.`,
        ]),
  ];
}

function explainQueue({
  policy,
  runs_at_once: atOnce,
  waiting_max: max,
}: WorkflowBody["settings"]["queue"]) {
  const waiting = max === 0 ? "No run may wait" : `At most ${toCount(max, "run")} may wait`;
  switch (policy) {
    case "parallel":
      return [
        `Up to ${toCount(atOnce, "run")} can run at the same time, and others wait.`,
        `${waiting}; further ones are refused.`,
      ];
    case "queue":
      return [
        "Runs take turns, in the order in which they were started.",
        `${waiting}; further ones are refused.`,
      ];
    case "drop":
      return ["While one run is active, new ones are refused."];
  }
}
