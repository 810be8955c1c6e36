import type { Health } from "@hub/connector";
import { isExpectedError } from "./is-expected-error.ts";
import type { HostContext } from "./logs-config-fields.ts";
import { labelHours } from "./operations/inputs.ts";
import { requestLabels } from "./request-labels.ts";
import { readWindow } from "./time/window.ts";

/** Checks that the host answers, accepts the login, and reaches the datasource in the organisation. */
export async function checkHealth(ctx: HostContext): Promise<Health> {
  try {
    const names = await requestLabels(ctx, readWindow({}, { defaultHours: labelHours }));
    if (names.length > 0) return { ok: true };
    const reason = `The datasource answers, but has no log lines of the last ${labelHours} hours.`;
    return { ok: true, reason };
  } catch (thrown) {
    if (isExpectedError(thrown)) return { ok: false, reason: thrown.message };
    throw thrown;
  }
}
