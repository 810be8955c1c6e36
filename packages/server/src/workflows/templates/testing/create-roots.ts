import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { toBasicCredentials } from "../../../secrets/needles/basic-credentials.ts";
import { findValue, sealValue } from "../../../secrets/value-tokens/value-tokens.ts";
import type { TemplateRoots } from "../render/render-context.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);
const owner = { userId: "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b", rowId: null };

/** The secrets that are set in `createRoots`. */
export const testSecrets: Readonly<Record<string, string>> = {
  KEY: "hunter2-plain",
  OTHER: 'other "plain"',
};

/** The owner's value token of a text. */
export function sealForOwner(text: string): string {
  return sealValue(ring, owner, text);
}

/** Opens a value token of the owner; null for another text. */
export function openForOwner(token: string): string | null {
  return findValue(ring, owner, token);
}

/** Data for tests, with the secrets `KEY` and `OTHER`. */
export function createRoots(roots: Partial<TemplateRoots> = {}): TemplateRoots {
  return {
    Event: {},
    Node: {},
    Env: {},
    Run: { id: "run1" },
    Workflow: { id: "flow" },
    secret: (name) => {
      const secret = testSecrets[name];
      return secret === undefined ? null : sealForOwner(secret);
    },
    basicCredentials: (user, name) => {
      const secret = testSecrets[name];
      return secret === undefined ? null : sealForOwner(toBasicCredentials(user, secret));
    },
    ...roots,
  };
}
