import type { FieldSpec, Json } from "@hub/connector";
import type { AnswerBudget } from "../../connectors/connector-port.ts";

/** A call of the hub itself to an outside system. It has no row, and clients are not offered it. */
export type CallTask = {
  /** The operation's key in the audit row. */
  operationKey: string;
  /** The name in the timeout message, such as "request". */
  name: string;
  params: Record<string, Json>;
  /** How opened values are written into the params. */
  fields: readonly FieldSpec[];
  timeoutMs: number;
  /** Results with more bytes are cut, like those above the limit of the setting. */
  resultBytesMax: number;
  run(tools: TaskTools, params: Record<string, unknown>): Promise<unknown>;
};

/** What a task gets, beside its params with opened tokens. */
export type TaskTools = {
  signal: AbortSignal;
  /** Memory for an answer above 256 KiB is taken from here before more of it is read. */
  memory: AnswerBudget;
  /** Adds a value that leaves the hub only as a token. */
  mask(value: string): void;
  recordHttpStatus(status: number): void;
};
