import { HubError } from "../../errors.ts";
import type { Sealer } from "../../secrets/value-tokens/sealer.ts";
import type { Questions, Replies } from "./answer-job.ts";

/** An answer with more secrets than this is an attack on processor time. */
const partsMax = 4096;
const partCharsMax = 64 * 1024;
const tokenCharsMax = 128 * 1024;

/** A sealer without keys. It collects the texts to seal; after `learn` it knows their tokens. */
export type RemoteSealer = {
  sealer: Sealer;
  /** The questions since the last call; null if there are none. */
  take(): Questions | null;
  learn(questions: Questions, replies: Replies): void;
};

export function createRemoteSealer(): RemoteSealer {
  const tokens = { user: new Map<string, string>(), row: new Map<string, string>() };
  const genuine = new Map<string, boolean>();
  let seal = new Map<string, Questions["seal"][number]>();
  let unverified = new Set<string>();

  return {
    sealer: {
      seal(text, ofRow) {
        const known = (ofRow ? tokens.row : tokens.user).get(text);
        if (known !== undefined) return known;
        if (text.length > partCharsMax) throw toTooManySecrets();
        seal.set(`${ofRow}:${text}`, { text, ofRow });
        checkCount(tokens.user.size + tokens.row.size + seal.size);
        // Each text needs its own placeholder. Equal member names would have to be renamed one by
        // one.
        return `part ${seal.size}`;
      },
      isGenuine(token) {
        // A longer token would block the main thread for too long.
        if (token.length > tokenCharsMax) return false;
        const known = genuine.get(token);
        if (known !== undefined) return known;
        unverified.add(token);
        checkCount(genuine.size + unverified.size);
        return false;
      },
    },
    take() {
      if (seal.size + unverified.size === 0) return null;
      // The result of sealing depends on which tokens are genuine, so those questions come first.
      const questions =
        unverified.size > 0
          ? { seal: [], genuine: [...unverified] }
          : { seal: [...seal.values()], genuine: [] };
      seal = new Map();
      unverified = new Set();
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
    "The answer contains secrets in too many forms to be sealed, so it was left out. Request less data at a time.",
  );
}
