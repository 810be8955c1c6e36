import { type Json, parseJson, toJsonText } from "@hub/connector";
import type { ErrorCode } from "../../errors.ts";
import type { SealedResult } from "../operations.ts";

/** A failure that is recorded, though its call has an answer. `message` is sealed. */
export type ComposedFailure = { code: ErrorCode; message: string };

/**
 * An answer of parts that the calls which made them have sealed and cut. It leaves the hub as it is: it is neither
 * searched nor sealed a second time.
 */
export class ComposedAnswer {
  /** JSON text of an object. */
  readonly text: string;
  /** What its record stores in place of the text. */
  readonly summary: Json;
  /** Null unless all parts failed. */
  readonly failure: ComposedFailure | null;

  constructor(parts: { text: string; summary: Json; failure: ComposedFailure | null }) {
    this.text = parts.text;
    this.summary = parts.summary;
    this.failure = parts.failure;
  }
}

/** The answer as its call returns it, and what of it is recorded. */
export function toComposedResult({ text, summary, failure }: ComposedAnswer, runId: string) {
  const sealed: SealedResult = {
    get value() {
      return parseJson(text);
    },
    text,
    runId,
    ...(failure !== null && { isError: true as const }),
  };
  return { sealed, auditText: toJsonText(summary) };
}
