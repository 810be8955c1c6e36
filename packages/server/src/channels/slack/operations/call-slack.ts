import type { CallTools, ValuesByName } from "@hub/connector";
import { callPatiently, createSlackApi } from "../slack-api.ts";
import { readSlackConfig } from "../slack-config.ts";
import { toUpstreamError } from "../slack-failure.ts";

export type SlackCallContext = Pick<CallTools, "fetch" | "signal"> & { config: ValuesByName };

/** Calls a method for an operation. Waits for Slack's rate limit, within the time of the call. */
export async function callMethod(
  { config, fetch, signal }: SlackCallContext,
  method: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const api = createSlackApi({ settings: readSlackConfig(config), fetch });
  try {
    return await callPatiently(api, signal, method, args);
  } catch (thrown) {
    throw toUpstreamError(thrown);
  }
}

/** Members of an answer with null for those that Slack leaves out. */
export const pickText = (value: unknown): string | null =>
  typeof value === "string" ? value : null;

/** `null` and empty texts are as good as left out: templates give them for what is missing. */
export const orNothing = <Key extends string>(key: Key, value: unknown) =>
  value === undefined || value === null || value === "" ? {} : { [key]: value };
