import { type WorkflowTrigger, workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import { listObjects } from "../../definition/walk-body.ts";
import { createCronTimes, toLocalTime } from "../../triggers/cron/cron-times.ts";
import { triggerTypeTexts } from "./trigger-type-texts.ts";

/** The params of workflow_run_now for the first trigger of the draft. */
export function toTestParams(workflow_id: string, body: unknown, now: number): object | null {
  const [first] = listObjects(body, "triggers");
  if (first === undefined) return null;
  // A trigger that is not valid is among the problems.
  const { data: trigger } = workflowTriggerSchema.safeParse(first);
  const payload = trigger && toPayload(trigger, now);
  return { workflow_id, draft: true, trigger_id: first.id, payload, wait_s: 20 };
}

/** A sample of `.Event.Payload`, with what the trigger says of it. */
function toPayload(trigger: WorkflowTrigger, now: number): object {
  const sample = triggerTypeTexts[trigger.type].payload;
  switch (trigger.type) {
    case "manual":
      return {};
    case "webhook": {
      const [method = "POST"] = [trigger.method].flat();
      const path = trigger.path ?? "";
      // Such a request has no body.
      if (method === "GET") return { method, path, headers: {}, query: {} };
      return { ...sample, method, path };
    }
    case "error": {
      const { source_workflow: source, severity } = trigger;
      const [first] = [severity ?? []].flat();
      return {
        ...sample,
        ...(source !== "*" && { workflow_id: source }),
        ...(first !== undefined && { severity: first }),
      };
    }
    case "cron":
      return { ...sample, ...findTick(trigger, now) };
    case "channel":
    case "schedule_at":
      return sample;
  }
}

/** The next tick. Nothing if the schedule cannot be read, which is among the problems. */
function findTick(
  { schedule, timezone }: Extract<WorkflowTrigger, { type: "cron" }>,
  now: number,
): object {
  try {
    const zone = timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const time = createCronTimes(schedule, zone).findNext(now);
    if (time === null) return { schedule, timezone: zone };
    const local_time = toLocalTime(time, zone);
    return { time: new Date(time).toISOString(), local_time, schedule, timezone: zone };
  } catch {
    return {};
  }
}
