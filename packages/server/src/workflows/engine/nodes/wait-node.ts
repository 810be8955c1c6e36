import { HubError } from "../../../errors.ts";
import { parseIsoTime } from "../../triggers/parse-iso-time.ts";
import { computeStep, type OpenStep } from "../step/open-step.ts";

const waitMsMax = 30 * 24 * 60 * 60 * 1000;

/** Waits for a time, also while the hub restarts. */
export const openWait: OpenStep<"wait"> = (ctx, { seconds, until }) => {
  const at = ctx.now();
  const wakeAt =
    until === undefined
      ? at + toMs(ctx.render(seconds))
      : parseIsoTime(ctx.render(until), "`until`");
  if (wakeAt - at > waitMsMax) {
    throw new HubError(
      "invalid_params",
      "A wait node waits at most 30 days. Choose an earlier time.",
    );
  }
  const output = { until: new Date(wakeAt).toISOString() };
  return computeStep(output, () => ({ kind: "sleep", until: wakeAt, output }));
};

function toMs(seconds: unknown): number {
  const value = typeof seconds === "string" && seconds.trim() !== "" ? Number(seconds) : seconds;
  if (typeof value === "number" && value >= 0) return value * 1000;
  throw new HubError(
    "invalid_params",
    "`seconds` of a wait node is not a number of 0 or more. Check its template.",
  );
}
