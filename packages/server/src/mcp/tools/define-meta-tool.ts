import type { Json } from "@hub/connector";
import type { BuildInfo } from "../../lib/build-info.ts";
import type { CallContext, Operations, SealedResult } from "../../operations/operations.ts";
import type { Params } from "../frame.ts";
import type { ArgumentsOf, ArgumentsSchema } from "./check-arguments.ts";

/** What the meta-tools answer from. */
export type ToolDeps = {
  operations: Pick<Operations, "execute" | "record" | "listTools" | "searchTools" | "getTool">;
  buildInfo: BuildInfo;
  /** Address of the hub's pages, without a slash at its end. */
  baseUrl: string;
};

/** One of the fixed tools that MCP clients see. */
export type MetaTool = {
  name: string;
  title: string;
  /** Written for a model: what is behind the tool, when to use it, what to do next. */
  description: string;
  inputSchema: ArgumentsSchema;
  annotations: ToolAnnotations;
  /** Answers a call whose arguments fit `inputSchema`, and records it. */
  run(deps: ToolDeps, ctx: CallContext, args: Params): Promise<SealedResult>;
};

type ToolAnnotations = {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

type Declaration<Schema extends ArgumentsSchema> = Omit<MetaTool, "run" | "inputSchema"> & {
  inputSchema: Schema;
};

type Call<Schema extends ArgumentsSchema, Result> = (
  deps: ToolDeps,
  ctx: CallContext,
  args: ArgumentsOf<Schema>,
) => Promise<Result>;

/** A tool that looks something up; the call is recorded under the tool's name. */
export function defineMetaTool<const Schema extends ArgumentsSchema>({
  call,
  ...declaration
}: Declaration<Schema> & { call: Call<Schema, Json> }): MetaTool {
  return defineRecordingTool({
    ...declaration,
    call: (deps, ctx, args) =>
      deps.operations.record(ctx, { operationKey: declaration.name, request: args }, () =>
        call(deps, ctx, args),
      ),
  });
}

/** A tool whose call records itself. */
export function defineRecordingTool<const Schema extends ArgumentsSchema>({
  call,
  ...declaration
}: Declaration<Schema> & { call: Call<Schema, SealedResult> }): MetaTool {
  return {
    ...declaration,
    // callTool has checked the arguments against this very schema.
    run: (deps, ctx, args) => call(deps, ctx, args as ArgumentsOf<Schema>),
  };
}
