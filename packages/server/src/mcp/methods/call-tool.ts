import { isJsonObject, suggest } from "@hub/connector";
import { type ErrorCode, HubError, toHubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { Operations } from "../../operations/ports.ts";
import type { Answer } from "../capability.ts";
import type { Params } from "../frames/frame.ts";
import type { MembersText } from "../frames/write-frame.ts";
import { presentNeeded, readClientInput } from "../pending/client-input.ts";
import { type ClientInput, noInput } from "../pending/needed-input.ts";
import { type OpenRelay, openRelay } from "../pending/open-relay.ts";
import { hearPending, type PendingTelling, tellPending } from "../pending/tell-pending.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { mayBecomeTask, runAsTask } from "../tasks/run-as-task.ts";
import { tellTask } from "../tasks/tell-task.ts";
import type { Tool, ToolRun, ToolSet } from "../tool-set.ts";
import { presentForModel, presentResult, readToolId } from "./present-result.ts";

export type CallToolDeps = RecordingDeps & {
  tools: Pick<ToolSet, "list" | "find" | "unknownToolAdvice" | "cacheScope">;
  inFlight: Pick<InFlight, "isFull" | "start">;
  log: Pick<Log, "error">;
  /** Null where no client is asked. */
  pending: PendingTelling | null;
};

type RecordingDeps = { operations: { records: Pick<Operations["records"], "record"> } };

/** Longer than any tool id. */
const toolIdCharsMax = 120;

/** Runs one tool. Every call, well-formed or not, writes exactly one audit row. */
export async function callTool(
  deps: CallToolDeps,
  ctx: CallContext,
  params: Params,
): Promise<Answer> {
  // Promises are awaited only where there are some: this is the path of every call.
  const accepted = acceptCall(deps, ctx, params);
  const call = accepted instanceof Promise ? await accepted : accepted;
  try {
    if (call instanceof HubError) throw await recordRefused(deps, ctx, params, call);
    return await runCall(deps, ctx, params, call);
  } catch (thrown) {
    const failure = toHubError(thrown);
    // A failure inside the call is logged with its record. This one comes from the recording.
    if (failure.cause !== undefined) deps.log.error({ err: failure.cause }, failure.message);
    return presentFailure(failure, params);
  }
}

/**
 * Records a refused `tools/call` and returns the failure as it was recorded. The arguments are not
 * recorded, because without a tool it is not known which of them are secret.
 */
export async function recordRefused(
  { operations }: RecordingDeps,
  ctx: CallContext,
  params: Params | null,
  fault: HubError,
): Promise<HubError> {
  const operationKey = typeof params?.name === "string" ? params.name.slice(0, 100) : "tools/call";
  const call = { operationKey, request: describeRefused(params) };
  try {
    await operations.records.record(ctx, call, () => Promise.reject(fault));
    return fault;
  } catch (thrown) {
    return toHubError(thrown);
  }
}

function describeRefused(params: Params | null) {
  const args = isJsonObject(params?.arguments) ? params.arguments : {};
  return {
    ...(typeof args.tool_id === "string" && { tool_id: args.tool_id.slice(0, toolIdCharsMax) }),
    _omitted: "The call was refused before a tool ran, so its arguments were not stored.",
  };
}

type AcceptedCall = { run: ToolRun; input: ClientInput };

/** Runs the call, and once more if its client confirms meanwhile that it may run. */
async function runCall(
  deps: CallToolDeps,
  ctx: CallContext,
  params: Params,
  { run, input }: AcceptedCall,
): Promise<Answer> {
  const { pending } = deps;
  const present = (given: CallContext, answer: Awaited<ReturnType<ToolRun>>) => {
    if (!("requests" in answer)) return presentResult(answer);
    if (pending === null) throw new Error("No client is asked here.");
    return presentNeeded(pending.states, given, params, answer);
  };
  // Most calls answer nothing.
  const heard =
    pending === null || input.kept === null ? null : await hearPending(pending, ctx, input);
  const now = heard === null ? ctx : await withPresentCaller(deps, ctx, params);
  const given = heard === null ? input : noInput;
  const relay = pending && openRelay(now, given);
  try {
    const answer = await runFollowed(deps, now, relay, (followed) => run(followed, given));
    return "resultType" in answer ? answer : await present(now, answer);
  } catch (thrown) {
    const failure = toHubError(thrown);
    const asked = failure.code === "input_required" ? (relay?.needed() ?? null) : null;
    if (asked !== null) return await present(now, asked);
    const task = pending && (await tellTask(pending.tasks, now, failure));
    if (task !== null) return task;
    const told = pending && (await tellPending(pending, now, failure, heard));
    if (told === null) throw thrown;
    if (told !== "decided") return await present(now, told);
    const later = await withPresentCaller(deps, ctx, params);
    return await present(later, await run(later, noInput));
  }
}

function runFollowed(
  { pending, inFlight, log }: CallToolDeps,
  given: CallContext,
  relay: OpenRelay | null,
  run: (ctx: CallContext) => ReturnType<ToolRun>,
): ReturnType<typeof runAsTask> {
  if (pending === null || !mayBecomeTask(given)) {
    return run(relay === null ? given : { ...given, relay: relay.port });
  }
  const ctx = relay === null ? given : { ...given, relay: relay.port };
  return runAsTask({ ...pending, inFlight, log }, ctx, relay, run);
}

/** The caller as of now: a person may have taken minutes to answer. */
async function withPresentCaller(
  deps: RecordingDeps,
  ctx: CallContext,
  params: Params,
): Promise<CallContext> {
  if (ctx.findCaller === undefined) return ctx;
  const caller = await ctx.findCaller();
  if (caller !== null) return { ...ctx, caller };
  const fault = new HubError("unauthorized", "This user may no longer use the hub. Ask an admin.");
  throw await recordRefused(deps, ctx, params, fault);
}

function acceptCall(
  deps: CallToolDeps,
  ctx: CallContext,
  params: Params,
): AcceptedCall | HubError | Promise<AcceptedCall | HubError> {
  try {
    const found = findTool(deps, ctx, params);
    if (found instanceof Promise) {
      return found.then((tool) => acceptBy(tool, deps, ctx, params)).catch(toHubError);
    }
    const accepted = acceptBy(found, deps, ctx, params);
    return accepted instanceof Promise ? accepted.catch(toHubError) : accepted;
  } catch (thrown) {
    return toHubError(thrown);
  }
}

function acceptBy(
  tool: Tool,
  { pending }: CallToolDeps,
  ctx: CallContext,
  params: Params,
): AcceptedCall | Promise<AcceptedCall> {
  const run = tool.accept(readArguments(params));
  const input = pending === null ? noInput : readClientInput(pending.states, ctx, params);
  if (input instanceof Promise) return input.then((read) => ({ run, input: read }));
  return { run, input };
}

function findTool(
  { tools, inFlight }: CallToolDeps,
  { caller }: CallContext,
  params: Params,
): Tool | Promise<Tool> {
  if (inFlight.isFull(caller.userId)) {
    throw new HubError("rate_limited", "Too many calls are running. Try again in a few seconds.");
  }
  const { name } = params;
  if (typeof name !== "string") {
    throw new HubError("malformed_params", '"name" is required and must be a string.');
  }
  const tool = tools.find(caller, name);
  if (tool !== null && !(tool instanceof Promise)) return tool;
  return waitForTool(tools, caller, tool, name);
}

async function waitForTool(
  tools: CallToolDeps["tools"],
  caller: CallContext["caller"],
  found: Promise<Tool | null> | null,
  name: string,
): Promise<Tool> {
  const tool = await found;
  if (tool !== null) return tool;
  throw refuseUnknownTool(tools, await tools.list(caller), name.slice(0, 100));
}

function readArguments(params: Params): Params {
  const args = params.arguments ?? {};
  if (isJsonObject(args)) return args;
  throw new HubError("malformed_params", '"arguments" must be an object.');
}

function refuseUnknownTool(
  { unknownToolAdvice }: CallToolDeps["tools"],
  tools: readonly Tool[],
  name: string,
): HubError {
  const similar = suggest(
    name,
    tools.map((tool) => tool.name),
  );
  return new HubError(
    "unknown_tool",
    `Unknown tool: ${JSON.stringify(name)}.${similar} ${unknownToolAdvice}`,
  );
}

/** Errors for the client program. All others are returned as results, for the model. */
const protocolFaults: ReadonlySet<ErrorCode> = new Set([
  "invalid_request",
  "malformed_params",
  "unknown_tool",
  "capability_missing",
  "url_elicitation_required",
]);

function presentFailure(failure: HubError, params: Params): MembersText {
  if (protocolFaults.has(failure.code)) throw failure;
  return presentForModel(failure, readToolId(params));
}
