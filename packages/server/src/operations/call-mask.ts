import { HubError } from "../errors.ts";
import type { Mask, SecretOptions } from "../secrets/mask.ts";
import { holdsHubToken, removeHubTokens, removeHubTokensIn } from "./hub-tokens.ts";

/** Each secret is looked for in everything that leaves, in all its forms. */
export const secretsMax = 100;

/** Stands for what a call would answer, where it met more secrets than can be looked for. */
const tooManySecrets = `This call met more than ${secretsMax} secret values, so what it answered cannot be searched for them and is left out. Ask for less at a time.`;

/** The mask of one call, with what it must not exceed. */
export type CallMask = {
  mask: Mask;
  /** All that it holds, in plain. */
  secrets: readonly string[];
  /** Tokens of this hub that stand here leave in no form; the record of the call has none. */
  noteSent(sent: unknown): void;
  /** A text that another thread has sealed, without them. */
  clean(text: string): string;
  /**
   * Adds a value that the connector named. One too many does not fail there, where the connector
   * could ignore it: from then on `isOverfull` holds, and the mask gives a sentence for everything.
   */
  addNamed(text: string, options: SecretOptions & { ignoreCase: boolean }): void;
  isOverfull(): boolean;
};

/** `onAdd` learns of each new secret: what was sealed before may hold it in plain. */
export function createCallMask(inner: Mask, onAdd: () => void): CallMask {
  const known = new Set<string>();
  const anyCase = new Set<string>();
  const secrets: string[] = [];
  let hasHubToken = false;
  let isOverfull = false;

  /** False where there is no room. What is no text fails in the mask itself. */
  function admit(text: string, ignoreCase = false): boolean {
    if (text === "" || typeof text !== "string") return true;
    if (!known.has(text)) {
      if (known.size >= secretsMax) return false;
      known.add(text);
      secrets.push(text);
      onAdd();
    }
    // A text that was known as it is can stand in another case in what was sealed before.
    if (ignoreCase && !anyCase.has(text)) {
      anyCase.add(text);
      onAdd();
    }
    return true;
  }

  const clean = (text: string) => (hasHubToken ? removeHubTokens(text) : text);

  const mask: Mask = {
    ...inner,
    addSecret(text, options) {
      if (!admit(text)) throw refuseSecrets();
      inner.addSecret(text, options);
    },
    addSecretIgnoreCase(text, options) {
      if (!admit(text, true)) throw refuseSecrets();
      inner.addSecretIgnoreCase(text, options);
    },
    addRowSecrets(row) {
      for (const text of row.texts) if (!admit(text)) throw refuseSecrets();
      inner.addRowSecrets(row);
    },
    sealText: (text) => (isOverfull ? tooManySecrets : clean(inner.sealText(text))),
    sealJson(value) {
      if (isOverfull) return { _left_out: tooManySecrets };
      const sealed = inner.sealJson(value);
      return hasHubToken ? removeHubTokensIn(sealed) : sealed;
    },
  };

  return {
    mask,
    secrets,
    noteSent(sent) {
      hasHubToken ||= holdsHubToken(sent);
    },
    addNamed(text, { ignoreCase, ...options }) {
      if (!admit(text, ignoreCase)) isOverfull = true;
      else if (ignoreCase) inner.addSecretIgnoreCase(text, options);
      else inner.addSecret(text, options);
    },
    clean,
    isOverfull: () => isOverfull,
  };
}

/** What a call fails with whose answer has a shape of its own, with no place for a sentence. */
export function refuseOverfull(): HubError {
  return new HubError("upstream_error", tooManySecrets);
}

function refuseSecrets(): HubError {
  return new HubError(
    "invalid_params",
    `A call may hold at most ${secretsMax} secret values: those of its row, of secret params and in hub_enc_ tokens together. Send fewer at a time.`,
  );
}
