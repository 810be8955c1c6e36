import type { Json } from "@hub/connector";
import type { z } from "zod";
import type { BuildInfo } from "../../lib/process/build-info.ts";
import type { CallContext, SealedResult } from "../../operations/operations.ts";
import type { Operations } from "../../operations/ports.ts";
import type { Params } from "../frames/frame.ts";
import type { Tool, ToolRun } from "../tool-set.ts";
import {
  type ArgumentAdvice,
  type ArgumentsSchema,
  parseArguments,
  toArgumentsJsonSchema,
} from "./parse-arguments.ts";

/** The dependencies of the meta-tools. */
export type ToolDeps = {
  operations: {
    calls: Pick<Operations["calls"], "call">;
    batches: Pick<Operations["batches"], "read">;
    catalogue: Pick<
      Operations["catalogue"],
      "list" | "listAll" | "listRows" | "nameRows" | "search" | "get"
    >;
    records: Pick<Operations["records"], "record">;
  };
  buildInfo: BuildInfo;
  /** Address of the hub's pages, without a trailing slash. */
  baseUrl: string;
  /** Over stdio: the command that starts the hub's command line in a terminal of this machine. */
  localCommand?: string | undefined;
};

/** One of the fixed tools that MCP clients see, before it has its dependencies. */
export type MetaTool = Omit<Tool, "accept"> & {
  /** As that of `Tool`. */
  accept(args: Params): (deps: ToolDeps, ...given: Parameters<ToolRun>) => ReturnType<ToolRun>;
};

type Declaration<Schema extends ArgumentsSchema> = Omit<MetaTool, "accept" | "inputSchema"> & {
  args: Schema;
  /** Right arguments. A refusal shows them. Absent for a tool without arguments. */
  example?: Params;
} & ArgumentAdvice;

type Lookup<Schema extends ArgumentsSchema> = Declaration<Schema> & {
  call: Call<Schema, Json>;
  /** The answer is never cut. */
  isWhole?: boolean;
};

type Call<Schema extends ArgumentsSchema, Result> = (
  deps: ToolDeps,
  ctx: CallContext,
  args: z.output<Schema>,
) => Promise<Result>;

/** Defines a lookup tool. Its calls are recorded under the tool's name. */
export function defineMetaTool<Schema extends ArgumentsSchema>({
  call,
  isWhole = false,
  ...declaration
}: Lookup<Schema>): MetaTool {
  return toMetaTool(declaration, (deps, ctx, args, sent) => {
    const recorded = { operationKey: declaration.name, request: sent, isWhole };
    return deps.operations.records.record(ctx, recorded, () => call(deps, ctx, args));
  });
}

/** Defines a tool whose `call` does its own recording. */
export function defineRecordingTool<Schema extends ArgumentsSchema>({
  call,
  ...declaration
}: Declaration<Schema> & { call: Call<Schema, SealedResult> }): MetaTool {
  return toMetaTool(declaration, call);
}

type SentCall<Schema extends ArgumentsSchema> = (
  deps: ToolDeps,
  ctx: CallContext,
  args: z.output<Schema>,
  sent: Params,
) => Promise<SealedResult>;

function toMetaTool<Schema extends ArgumentsSchema>(
  {
    args: schema,
    example,
    requiresOne,
    findConflicts,
    otherNames,
    ofOtherTools,
    othersBelongTo,
    ...declaration
  }: Declaration<Schema>,
  call: SentCall<Schema>,
): MetaTool {
  const { name } = declaration;
  const advice = { requiresOne, findConflicts, otherNames, ofOtherTools, othersBelongTo };
  const accepted = { name, schema, example, ...advice };
  let inputSchema: Record<string, unknown> | null = null;
  return {
    ...declaration,
    // Made for the first list, because most processes, such as commands, list no tools.
    get inputSchema() {
      inputSchema ??= toArgumentsJsonSchema(schema);
      return inputSchema;
    },
    accept(sent) {
      const args = parseArguments(accepted, sent);
      return (deps, ctx) => call(deps, ctx, args, sent);
    },
  };
}
