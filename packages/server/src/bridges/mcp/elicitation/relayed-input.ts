import { isJsonObject } from "@hub/connector";
import { z } from "zod";
import type { Elicited } from "../../../connectors/elicitation.ts";
import { listFields, readElicitedAnswer } from "../../../connectors/read-elicited-answer.ts";
import type { McpContext } from "../mcp-context.ts";

/** What a repeated request of 2026-07-28 brings. */
export type RepeatInput = { inputResponses?: Record<string, object>; requestState?: string };

/** What a server asks before it answers a call. */
export type ServerQuestions = {
  /** By the server's keys. */
  questions: ReadonlyMap<string, Elicited>;
  /** The server's own state; null if it sent none. */
  state: string | null;
};

/** A call as it goes on after the answers of its client. */
export type RelayedCall = {
  input: RepeatInput;
  /** How often the server has asked. */
  rounds: number;
};

const keptSchema = z.strictObject({
  row: z.string(),
  /** Of the configuration that the server was called with. */
  config: z.string(),
  tool: z.string(),
  rounds: z.number(),
  state: z.string().nullable(),
  /** The fields of each form; null for a page. */
  asked: z.array(z.tuple([z.string(), z.array(z.string()).nullable()])),
});

type Called = Pick<McpContext, "rowId" | "configId"> & { tool: string };

export function toKept(
  { rowId, configId, tool }: Called,
  { questions, state }: ServerQuestions,
  rounds: number,
): z.infer<typeof keptSchema> {
  const asked = Array.from(questions, ([key, one]): [string, string[] | null] => [
    key,
    "url" in one ? null : listFields(one.requestedSchema),
  ]);
  return { row: rowId, config: configId, tool, rounds, state, asked };
}

/**
 * How a call goes on that its client repeats with answers. A call begins anew if there are none, or if its row was changed
 * since: the answers were given to the former server.
 */
export function readRelayed(
  relay: NonNullable<McpContext["elicit"]>["relay"],
  { rowId, configId, tool }: Called,
): RelayedCall {
  const answered = relay?.answered ?? null;
  const { data: kept } = keptSchema.safeParse(answered?.kept);
  const isOfCall =
    kept !== undefined && kept.row === rowId && kept.config === configId && kept.tool === tool;
  if (answered === null || !isOfCall) return { input: {}, rounds: 0 };
  const { responses } = answered;
  const taken = new Map<string, object>();
  for (const [key, fields] of kept.asked) {
    if (!Object.hasOwn(responses, key)) continue;
    const answer = readElicitedAnswer(responses[key], fields && new Set(fields));
    if (answer !== null) taken.set(key, answer);
  }
  const input = {
    ...(kept.asked.length > 0 && { inputResponses: Object.fromEntries(taken) }),
    ...(kept.state !== null && { requestState: kept.state }),
  };
  return { input, rounds: kept.rounds };
}

/** The result of a server that asks; null for others. */
export function findAsking(
  result: object,
): { requests: Record<string, unknown>; state: string | null } | null {
  if (!("resultType" in result) || result.resultType !== "input_required") return null;
  const { inputRequests, requestState }: Record<string, unknown> = { ...result };
  return {
    requests: isJsonObject(inputRequests) ? inputRequests : {},
    state: typeof requestState === "string" ? requestState : null,
  };
}

const capabilityMissing = -32021;

/** Whether the error of a server says that it must ask the user, and that no elicitation was declared to it. */
export function needsElicitation(thrown: unknown): boolean {
  const isNamed = thrown instanceof Error && "code" in thrown && "data" in thrown;
  if (!isNamed || thrown.code !== capabilityMissing || !isJsonObject(thrown.data)) return false;
  const { requiredCapabilities } = thrown.data;
  return isJsonObject(requiredCapabilities) && isJsonObject(requiredCapabilities.elicitation);
}

const pagesRequired = -32042;

/** The pages that the error of a server of an earlier version names, as requests to open them; null for other errors. */
export function findRequiredPages(thrown: unknown): Record<string, unknown> | null {
  const isNamed = thrown instanceof Error && "code" in thrown && "data" in thrown;
  if (!isNamed || thrown.code !== pagesRequired || !isJsonObject(thrown.data)) return null;
  const { elicitations } = thrown.data;
  if (!Array.isArray(elicitations) || elicitations.length === 0) return null;
  const requests = elicitations.map((params: unknown, index) => {
    const page = isJsonObject(params) ? { ...params, mode: "url" } : null;
    return [`page-${index + 1}`, { method: "elicitation/create", params: page }];
  });
  return Object.fromEntries(requests);
}
