import type { ErrorCode } from "../../errors.ts";
import type { FieldPaths } from "../../lib/json/pick-fields.ts";
import type { BodyForm } from "../../lib/streams/unread-body.ts";
import type { MaskedSecret } from "../../secrets/needles/needles.ts";

/** A large answer as the worker receives it: plain data, without keys. */
export type AnswerJob = {
  /** JSON text. It has null at the path of each part. */
  text: string;
  parts: JobPart[];
  secrets: MaskedSecret[];
  isMaskingEnabled: boolean;
  resultBytesMax: number;
  auditBytesMax: number;
  /** Only these parts of the answer are wanted. */
  fields?: FieldPaths;
  /** Binary content, which is only searched: the answer is `true` if it contains a secret, else `false`. */
  searched?: Uint8Array;
};

/**
 * A part of the answer. If a text is too long, the worker receives only its beginning. The
 * characters beyond `bytesMax` help to find a secret that the cut would split. `chars` is the full
 * length.
 */
export type JobPart = { path: Array<string | number> } & (
  | { bytes: Uint8Array; form: BodyForm }
  | { text: string; bytesMax: number; chars: number }
);

/** A sealed answer as compact JSON, cut to size. */
export type ReadAnswer = { text: string; auditText: string };

/** Questions that need the keys. Only the main thread has them. */
export type Questions = { seal: Array<{ text: string; ofRow: boolean }>; genuine: string[] };
export type Replies = { tokens: string[]; genuine: boolean[] };

/** A message from the worker. */
export type WorkerMessage =
  | { kind: "ask"; questions: Questions }
  | { kind: "done"; answer: ReadAnswer }
  | { kind: "refused"; code: ErrorCode; message: string }
  | { kind: "broken"; message: string };

/** A message to the worker. */
export type MainMessage = { kind: "job"; job: AnswerJob } | { kind: "replies"; replies: Replies };
