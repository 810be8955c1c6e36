/**
 * The thread that reads large answers. It has no keys and no access to the database. It gets one
 * answer at a time and asks the main thread for the tokens that it needs.
 */
import { HubError } from "../../errors.ts";
import type { MainMessage, Replies, WorkerMessage } from "./answer-job.ts";
import { readAnswer } from "./read-answer.ts";

declare const self: Worker;

let takeReplies: (replies: Replies) => void = () => {};

const send = (message: WorkerMessage) => postMessage(message);

self.onmessage = ({ data }: MessageEvent<MainMessage>) => {
  if (data.kind === "replies") return takeReplies(data.replies);
  readAnswer(data.job, (questions) => {
    const { promise, resolve } = Promise.withResolvers<Replies>();
    takeReplies = resolve;
    send({ kind: "ask", questions });
    return promise;
  }).then(
    (answer) => send({ kind: "done", answer }),
    (thrown: unknown) => {
      if (thrown instanceof HubError) {
        return send({ kind: "refused", code: thrown.code, message: thrown.message });
      }
      // The error's message could quote the answer.
      send({ kind: "broken", message: thrown instanceof Error ? thrown.name : "unknown" });
    },
  );
};
