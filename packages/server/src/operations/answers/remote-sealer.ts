import { HubError } from "../../errors.ts";
import type { Sealer } from "../../secrets/sealer.ts";
import type { Questions, Replies } from "./answer-job.ts";

/** More forms of secrets than this in one answer can only be meant to cost time. */
const partsMax = 4096;
const partCharsMax = 64 * 1024;
const tokenCharsMax = 128 * 1024;

/** A sealer without keys: it collects what has to be sealed, and knows it after `learn`. */
export type RemoteSealer = {
  sealer: Sealer;
  /** What was asked for in vain since the last time; null when all was known. */
  take(): Questions | null;
  learn(questions: Questions, replies: Replies): void;
};

export function createRemoteSealer(): RemoteSealer {
  const tokens = { user: new Map<string, string>(), row: new Map<string, string>() };
  const genuine = new Map<string, boolean>();
  let seal = new Map<string, Questions["seal"][number]>();
  let doubted = new Set<string>();

  return {
    sealer: {
      seal(text, ofRow) {
        const known = (ofRow ? tokens.row : tokens.user).get(text);
        if (known !== undefined) return known;
        if (text.length > partCharsMax) throw toTooManySecrets();
        seal.set(`${ofRow}:${text}`, { text, ofRow });
        checkCount(tokens.user.size + tokens.row.size + seal.size);
        // One for each text: members whose names became one would be told apart one by one.
        return `part ${seal.size}`;
      },
      isGenuine(token) {
        // To open a longer one would take the main thread too long.
        if (token.length > tokenCharsMax) return false;
        const known = genuine.get(token);
        if (known !== undefined) return known;
        doubted.add(token);
        checkCount(genuine.size + doubted.size);
        return false;
      },
    },
    take() {
      if (seal.size + doubted.size === 0) return null;
      // What is sealed depends on which tokens are genuine, so those are asked for first.
      const questions =
        doubted.size > 0
          ? { seal: [], genuine: [...doubted] }
          : { seal: [...seal.values()], genuine: [] };
      seal = new Map();
      doubted = new Set();
      return questions;
    },
    learn(questions, replies) {
      questions.seal.forEach(({ text, ofRow }, index) => {
        const token = replies.tokens[index] ?? "";
        (ofRow ? tokens.row : tokens.user).set(text, token);
        genuine.set(token, true);
      });
      questions.genuine.forEach((token, index) => {
        genuine.set(token, replies.genuine[index] === true);
      });
    },
  };
}

function checkCount(count: number): void {
  if (count > partsMax) throw toTooManySecrets();
}

function toTooManySecrets(): HubError {
  return new HubError(
    "upstream_error",
    "The answer shows secrets in too many ways to be sealed, so it was left out. Ask for less at a time.",
  );
}
