import type { Caller } from "../caller.ts";
import type { CallContext, SealedResult } from "../operations/operations.ts";
import type { Params } from "./frames/frame.ts";
import type { ClientInput, NeededInput } from "./pending/needed-input.ts";

/** A tool as MCP clients see it. */
export type Tool = {
  name: string;
  title: string;
  /** Written for a model: what the tool does, when to use it, what to do next. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  annotations: ToolAnnotations;
  /**
   * Parses the arguments of a call and returns the function that runs and records it. Throws
   * `invalid_params`.
   */
  accept(args: Params): ToolRun;
};

/** Runs an accepted call and records it. It may ask its client first, and gets the answers with the repeated request. */
export type ToolRun = (ctx: CallContext, input: ClientInput) => Promise<SealedResult | NeededInput>;

export type ToolAnnotations = {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

/** The tools that MCP clients see. The protocol knows none of them by name. */
export type ToolSet = {
  /**
   * The tools of this caller, in the order in which they are listed. The same array for the same tools, because its
   * JSON text is kept with it.
   */
  list(caller: Caller): readonly Tool[] | Promise<readonly Tool[]>;
  /** Null if this caller has no such tool. */
  find(caller: Caller, name: string): Tool | null | Promise<Tool | null>;
  /** For models: how the tools are used together, and what this caller can use with them. Never cached for another one. */
  instructions(caller: Caller): string | Promise<string>;
  /** For models: what to do instead of a call of a tool that does not exist. */
  unknownToolAdvice: string;
  /** Whether a cache may give the list of one caller to another. */
  cacheScope: CacheScope;
};

export type CacheScope = "public" | "private";
