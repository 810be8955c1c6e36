import { HubError } from "../../errors.ts";
import { secretsMax } from "../../lib/limits/answer-limits.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { SecretOptions } from "../../secrets/masks/mask-secrets.ts";
import { isWeakSecret } from "../../secrets/needles/estimate-strength.ts";
import { longCharsMin } from "../../secrets/needles/long-secrets.ts";
import { containsHubToken, removeHubTokens, removeHubTokensIn } from "./hub-tokens.ts";

/** Replaces the answer of a call with too many secrets. */
const tooManySecrets = `This call has more than ${secretsMax} secret values, or these have too many characters, so its answer cannot be searched for all of them and is left out. Request less data at a time.`;

/** The mask of one call, with a limit on the number of secrets. */
export type CallMask = {
  mask: Mask;
  /** All secrets of the call, in plaintext. */
  secrets: readonly string[];
  /**
   * Records the hub's own tokens in a value that the client sent. From then on, the record and all
   * texts that leave the call contain none of them.
   */
  recordHubTokens(sent: unknown): void;
  /** Removes the hub's own tokens from a text that another thread has sealed. */
  clean(text: string): string;
  /**
   * Adds a value that the connector named. If there are too many, this call does not throw, because
   * the connector could catch the error. Instead, `hasTooManySecrets` becomes true and the mask
   * replaces every answer by an error text.
   */
  addNamed(text: string, options: SecretOptions & { ignoreCase: boolean }): void;
  hasTooManySecrets(): boolean;
  /** Whether the call has no secret and no token of the hub, so that sealing changes nothing. */
  isIdle(): boolean;
  /** Whether the caller could guess a secret of the row: see `leave-texts-out.ts`. */
  hasWeakSecret(): boolean;
};

type CallMaskDeps = {
  /** Called for each new secret: values that were sealed earlier may contain it in plaintext. */
  onAdd(): void;
  /** Counts the characters of long secrets, and throws if the call has too many. */
  addSecretChars(chars: number): void;
};

type HeldSecrets = Record<"known" | "others" | "ofRow" | "anyCase", Set<string>>;

/** `others` are counted apart from those of the row: if they were not, the limit would confirm a right guess. */
function holdNone(): HeldSecrets {
  return { known: new Set(), others: new Set(), ofRow: new Set(), anyCase: new Set() };
}

export function createCallMask(inner: Mask, { onAdd, addSecretChars }: CallMaskDeps): CallMask {
  /** Made for the first secret: most calls have none. */
  let held: HeldSecrets | null = null;
  const secrets: string[] = [];
  let hasHubToken = false;
  let hasTooManySecrets = false;
  let hasWeakSecret = false;

  /**
   * Returns false if there are too many secrets. The mask itself refuses values that are not text.
   */
  function admit(text: string, isOfRow: boolean, ignoreCase = false): boolean {
    if (text === "" || typeof text !== "string") return true;
    held ??= holdNone();
    const { known, others, ofRow, anyCase } = held;
    const counted = isOfRow ? ofRow : others;
    if (!counted.has(text)) {
      if (ofRow.size + others.size >= secretsMax) return false;
      counted.add(text);
    }
    if (!known.has(text)) {
      // All calls share the secrets of their row.
      if (!isOfRow && text.length >= longCharsMin) addSecretChars(text.length);
      known.add(text);
      secrets.push(text);
      onAdd();
    }
    // A value that was sealed earlier may contain the text in another case.
    if (ignoreCase && !anyCase.has(text)) {
      anyCase.add(text);
      onAdd();
    }
    return true;
  }

  function admitNamed(...[text, isOfRow, ignoreCase]: Parameters<typeof admit>): boolean {
    try {
      return admit(text, isOfRow, ignoreCase);
    } catch {
      return false;
    }
  }

  const recordStrength = (text: string, options?: SecretOptions) => {
    // The strength of the row's own secrets is known, and estimating it again would cost each call.
    hasWeakSecret ||=
      options?.ofRow === true && held?.known.has(text) !== true && isWeakSecret(text);
  };
  const clean = (text: string) => (hasHubToken ? removeHubTokens(text) : text);

  const mask: Mask = {
    sealer: inner.sealer,
    bindRow: (rowId) => inner.bindRow(rowId),
    listSecrets: () => inner.listSecrets(),
    holdsSecret: (text) => inner.holdsSecret(text),
    cutText: (text, bytesMax) => inner.cutText(text, bytesMax),
    cutList: (items, end) => inner.cutList(items, end),
    addSecret(text, options) {
      recordStrength(text, options);
      if (!admit(text, options?.ofRow === true)) throw refuseSecrets();
      inner.addSecret(text, options);
    },
    addSecretIgnoreCase(text, options) {
      recordStrength(text, options);
      if (!admit(text, options?.ofRow === true, true)) throw refuseSecrets();
      inner.addSecretIgnoreCase(text, options);
    },
    addRowSecrets(row) {
      hasWeakSecret ||= row.hasWeak();
      for (const text of row.texts) if (!admit(text, true)) throw refuseSecrets();
      inner.addRowSecrets(row);
    },
    sealText: (text) => (hasTooManySecrets ? tooManySecrets : clean(inner.sealText(text))),
    sealJson(value) {
      if (hasTooManySecrets) return { _left_out: tooManySecrets };
      const sealed = inner.sealJson(value);
      return hasHubToken ? removeHubTokensIn(sealed) : sealed;
    },
  };

  return {
    mask,
    secrets,
    recordHubTokens(sent) {
      hasHubToken ||= containsHubToken(sent);
    },
    addNamed(text, { ignoreCase, ...options }) {
      if (typeof text === "string") recordStrength(text, options);
      if (!admitNamed(text, options.ofRow === true, ignoreCase)) hasTooManySecrets = true;
      else if (ignoreCase) inner.addSecretIgnoreCase(text, options);
      else inner.addSecret(text, options);
    },
    clean,
    hasTooManySecrets: () => hasTooManySecrets,
    isIdle: () => secrets.length === 0 && !hasHubToken && !hasTooManySecrets,
    hasWeakSecret: () => hasWeakSecret,
  };
}

/** The error of a call whose answer has a fixed structure and cannot be replaced by a text. */
export function refuseAnswer(): HubError {
  return new HubError("upstream_error", tooManySecrets);
}

function refuseSecrets(): HubError {
  return new HubError(
    "invalid_params",
    `A call may have at most ${secretsMax} secret values, including those of its row, of secret params and of hub_enc_ tokens. Send fewer at a time.`,
  );
}
