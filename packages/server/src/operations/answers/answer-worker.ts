/**
 * The thread that reads large answers. It has no keys and no access to the store: it is given one
 * answer at a time, and asks for the tokens that it needs.
 */
import { HubError } from "../../errors.ts";
import type { MainMessage, Replies, WorkerMessage } from "./answer-job.ts";
import { readAnswer } from "./read-answer.ts";

declare const self: Worker;

let takeReplies: (replies: Replies) => void = () => {};

const say = (message: WorkerMessage) => postMessage(message);

self.onmessage = ({ data }: MessageEvent<MainMessage>) => {
  if (data.kind === "replies") return takeReplies(data.replies);
  readAnswer(data.job, (questions) => {
    const { promise, resolve } = Promise.withResolvers<Replies>();
    takeReplies = resolve;
    say({ kind: "ask", questions });
    return promise;
  }).then(
    (answer) => say({ kind: "done", answer }),
    (thrown: unknown) => {
      if (thrown instanceof HubError) {
        return say({ kind: "refused", code: thrown.code, message: thrown.message });
      }
      // Its words could quote the answer.
      say({ kind: "broken", message: thrown instanceof Error ? thrown.name : "unknown" });
    },
  );
};
