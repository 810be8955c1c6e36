import type { Json } from "@hub/connector";

/** A form of an outside system for the person whose client makes a call. */
export type ElicitedForm = {
  message: string;
  /** A flat JSON Schema, as MCP allows it. */
  requestedSchema: { readonly [name: string]: Json };
};

/** What the person did with it. `content` is there if it was accepted: texts, numbers, booleans and lists of texts. */
export type ElicitedAnswer =
  | { action: "accept"; content: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };
