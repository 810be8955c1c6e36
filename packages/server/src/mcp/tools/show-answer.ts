import { parseJson } from "@hub/connector";
import type { CallContext } from "../../operations/operations.ts";
import type { Operations } from "../../operations/ports.ts";
import type { Params } from "../frames/frame.ts";
import { type CallToolDeps, callTool } from "../methods/call-tool.ts";
import type { ToolDeps } from "./define-meta-tool.ts";
import { hubGet } from "./hub-get.ts";
import { hubSearch } from "./hub-search.ts";
import { createMetaTools } from "./meta-tools.ts";

type ShowDeps = Pick<CallToolDeps, "log"> & {
  operations: Omit<ToolDeps["operations"], "batches" | "records"> & {
    records: Pick<Operations["records"], "answer">;
  };
};

/** A call of one of the tools that look something up and read operations only. */
export type LookupCall = {
  name: "hub_search" | "hub_get";
  arguments: Params;
};

const lookups = [hubSearch, hubGet];
/** For a tool that none of the lookups is. */
const unusedBuild = { hub_version: "", server_build_time: "", server_commit: "" };

/**
 * The members that a client of the caller gets as the result of a `tools/call`: `content`, and
 * `structuredContent` or `isError`. It takes the steps of every such call, except that nothing is recorded.
 */
export async function showAnswer(
  { operations, log }: ShowDeps,
  ctx: CallContext,
  call: LookupCall,
): Promise<unknown> {
  const { calls, catalogue } = operations;
  const records = { record: operations.records.answer };
  const batches = { read: () => Promise.reject(new Error("No lookup calls operations.")) };
  const tools = createMetaTools(
    { operations: { calls, batches, catalogue, records }, buildInfo: unusedBuild, baseUrl: "" },
    lookups,
  );
  const inFlight = {
    isFull: () => false,
    start: () => {
      throw new Error("No lookup becomes a task.");
    },
  };
  const deps = { operations: { records }, tools, inFlight, log, pending: null };
  const members = await callTool(deps, ctx, call);
  if (typeof members !== "string") throw new Error("No lookup asks its client.");
  return parseJson(`{${members}}`);
}
