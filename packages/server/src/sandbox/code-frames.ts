import { z } from "zod";
import { logCharsMax, logLinesMax, messageCharsMax, valueBytesMax } from "./code-limits.ts";

/**
 * A message between the hub and a process of code nodes: two lengths of 4 bytes (little-endian), a header
 * of JSON, and a body.
 */
export const prefixBytes = 8;

/** Of what a process sends. A longer one comes from a process that has been taken over. */
export const answerHeaderBytesMax = 256 * 1024;
export const answerBodyBytesMax = valueBytesMax;

/** Where a part of the inputs is, such as `["node", "list"]`, and how long its JSON is. */
export type InputPart = { path: string[]; bytes: number };

/** What the hub asks for. The body of the message has the parts, one after another. */
export type CodeJob = {
  /** `check` only reads the source. A `script` asks the hub while it runs. */
  kind: "run" | "check" | "script";
  source: string;
  timeoutMs: number;
  /** Parts that the process has from the job before, and uses again. */
  usesKept: boolean;
  /** How many of the parts the process keeps for the next job. */
  keeps: number;
  parts: InputPart[];
  /** Of a `script`: its processor time, and the id of its first question. */
  asks?: { computeMs: number; firstId: number };
};

const text = z.string().max(messageCharsMax);

/** Why a script has no result. */
export const failedSchema = z.strictObject({
  kind: z.literal("failed"),
  reason: z.enum(["syntax", "threw", "memory", "timeout", "pending", "output", "too_large"]),
  message: text,
  /** In the source of the user. */
  line: z.int().min(1).max(1_000_000).nullable(),
  logs: z.array(z.string().max(logCharsMax)).max(logLinesMax + 1),
});

/** What a process sends. It may run code of an attacker, so nothing of it is trusted. */
export const codeAnswerSchema = z.discriminatedUnion("kind", [
  /** Once, at the start. */
  z.strictObject({ kind: z.literal("ready"), isLimited: z.boolean() }),
  /** The value is the body of the message, as JSON. */
  z.strictObject({ kind: z.literal("value"), logs: failedSchema.shape.logs }),
  failedSchema,
]);

export type CodeAnswer = z.infer<typeof codeAnswerSchema>;
export type CodeFailure = z.infer<typeof failedSchema>;

export function toPrefix(header: Uint8Array, bodyBytes: number): Uint8Array {
  const prefix = new DataView(new ArrayBuffer(prefixBytes));
  prefix.setUint32(0, header.length, true);
  prefix.setUint32(4, bodyBytes, true);
  return new Uint8Array(prefix.buffer);
}

export function readPrefix(bytes: Uint8Array): { headerBytes: number; bodyBytes: number } {
  const prefix = new DataView(bytes.buffer, bytes.byteOffset, prefixBytes);
  return { headerBytes: prefix.getUint32(0, true), bodyBytes: prefix.getUint32(4, true) };
}
