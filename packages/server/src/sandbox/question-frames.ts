import { z } from "zod";
import { codeAnswerSchema, failedSchema } from "./code-frames.ts";
import { fieldCharsMax, fieldsMax, toolIdCharsMax } from "./script-limits.ts";

/** What makes a question of a script. Its params or its query are the body of the frame, as JSON. */
const callSchema = z.strictObject({
  kind: z.literal("call"),
  id: z.int().min(1),
  toolId: z.string().max(toolIdCharsMax),
  fields: z.array(z.string().max(fieldCharsMax)).max(fieldsMax).optional(),
});

const searchSchema = z.strictObject({ kind: z.literal("search"), id: z.int().min(1) });

const memberSchema = z.string().max(200).optional();

const scriptFailedSchema = failedSchema.extend({
  reason: z.enum([...failedSchema.shape.reason.options, "computing"]),
  /** What a thrown error has beside its message. A script can write both. */
  members: z.strictObject({ code: memberSchema, pending_id: memberSchema }).optional(),
});

/** What the process of a script sends while the script runs. The last one is `value` or `failed`. */
export const scriptFrameSchema = z.discriminatedUnion("kind", [
  callSchema,
  searchSchema,
  codeAnswerSchema.options[1],
  scriptFailedSchema,
]);

export type ScriptFrame = z.infer<typeof scriptFrameSchema>;
export type QuestionHeader = Extract<ScriptFrame, { kind: "call" | "search" }>;
export type ScriptAnswer = Exclude<ScriptFrame, QuestionHeader>;
export type ScriptFailure = Extract<ScriptFrame, { kind: "failed" }>;

/** What the hub sends to a script that runs: the answer of a question, or that its time is over. */
export type HubFrame = { kind: "reply"; id: number; isError: boolean } | { kind: "stop" };

export function isQuestion(frame: ScriptFrame): frame is QuestionHeader {
  return frame.kind === "call" || frame.kind === "search";
}
