import { Cron } from "croner";

/**
 * What is wrong with a cron expression; null if it is valid. It has exactly six fields, the first for
 * seconds.
 */
export function findScheduleFault(schedule: string): string | null {
  const fields = schedule.trim().split(/\s+/).length;
  // Without this, a date or a nickname such as @daily would be accepted.
  if (fields !== 6) {
    return `A schedule has six fields: second, minute, hour, day, month, day of the week. This one has ${fields}.`;
  }
  try {
    const cron = new Cron(schedule, { mode: "6-part", paused: true, timezone: "UTC" });
    return cron.nextRun() === null ? "The schedule never fires." : null;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/^CronPattern: /, "") : "";
    return `The schedule is not valid: ${reason.replace(/\.$/, "")}.`;
  }
}

/** Whether a name is an IANA time zone that this program knows. An offset is none. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
