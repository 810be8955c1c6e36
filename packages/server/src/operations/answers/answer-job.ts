import type { ErrorCode } from "../../errors.ts";
import type { BodyForm } from "../../lib/unread-body.ts";
import type { MaskedSecret } from "../../secrets/needles.ts";

/** A large answer as the worker gets it: plain data, without any key. */
export type AnswerJob = {
  /** JSON text with null where a part belongs. */
  text: string;
  parts: JobPart[];
  secrets: MaskedSecret[];
  isMaskingEnabled: boolean;
  resultBytesMax: number;
  auditBytesMax: number;
};

/**
 * A part of the answer. Of a text that is too long, only its beginning comes: what is beyond
 * `bytesMax` is there to find a secret that this would cut in two, and `chars` is its full length.
 */
export type JobPart = { path: Array<string | number> } & (
  | { bytes: Uint8Array; form: BodyForm }
  | { text: string; bytesMax: number; chars: number }
);

/** An answer that is sealed and cut to size, as compact JSON. */
export type ReadAnswer = { text: string; auditText: string };

/** What only the main thread can say: it holds the keys. */
export type Questions = { seal: Array<{ text: string; ofRow: boolean }>; genuine: string[] };
export type Replies = { tokens: string[]; genuine: boolean[] };

/** What the worker says of its job. */
export type WorkerMessage =
  | { kind: "ask"; questions: Questions }
  | { kind: "done"; answer: ReadAnswer }
  | { kind: "refused"; code: ErrorCode; message: string }
  | { kind: "broken"; message: string };

/** What the main thread says to the worker. */
export type MainMessage = { kind: "job"; job: AnswerJob } | { kind: "replies"; replies: Replies };
