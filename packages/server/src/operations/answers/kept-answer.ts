import type { Json } from "@hub/connector";

/** The JSON text of an answer, and what its record stores of it. */
export type WrittenAnswer = { text: string; auditText: string };

/**
 * An answer of the hub itself that many calls get, with its texts, so that a long one is not written for each call.
 * Its value must not change, and must not come from outside.
 */
export class KeptAnswer {
  readonly value: Json;
  /** Of calls without secrets. Null before the first one. */
  written: WrittenAnswer | null = null;
  /** The text as a JSON text. Null before it is first quoted. */
  quoted: string | null = null;

  constructor(value: Json) {
    this.value = value;
  }
}
