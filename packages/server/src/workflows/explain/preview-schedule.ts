import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowSchedulePreview } from "@hub/contract/workflow-explanation.ts";
import { HubError } from "../../errors.ts";
import { createCronTimes, toLocalTime } from "../triggers/cron/cron-times.ts";
import { findHubTimezone } from "../triggers/hub-timezone.ts";
import { findScheduleFault, isTimezone } from "../validation/checks/check-schedule.ts";
import { createPace } from "../validation/validation-pace.ts";
import { describeSchedule } from "./describe-schedule.ts";

const ticksMax = 5;

/** A cron expression in words, with its next ticks. Throws `bad_request` with what is wrong with it. */
export async function previewSchedule(
  { now }: { now(): number },
  { schedule, timezone }: { schedule: string; timezone?: string | undefined },
): Promise<WorkflowSchedulePreview> {
  const fault = findScheduleFault(schedule);
  if (fault !== null) throw new HubError("bad_request", fault);
  const zone = timezone ?? findHubTimezone();
  if (!isTimezone(zone)) {
    throw new HubError(
      "bad_request",
      "There is no such time zone. Use a name such as Europe/Berlin.",
    );
  }
  const times = createCronTimes(schedule, zone);
  const pace = createPace();
  const ticks: WorkflowSchedulePreview["ticks"] = [];
  for (let at = times.findNext(now()); at !== null && ticks.length < ticksMax; ) {
    await pace();
    ticks.push({ at: toTimeText(at), local_time: toLocalTime(at, zone) });
    at = times.findNext(at);
  }
  return { words: describeSchedule(schedule) ?? "", timezone: zone, ticks };
}
