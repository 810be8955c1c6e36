import type { Json } from "@hub/connector";
import { cutTextAtCharacter, textBytes } from "../../../lib/json/cut-json.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import { createMask, type Mask } from "../../../secrets/masks/mask.ts";
import type { RowSecrets } from "../../../secrets/masks/row-secrets.ts";
import { isWeakSecret } from "../../../secrets/needles/estimate-strength.ts";
import type { RowTokens } from "../../../secrets/value-tokens/sealer.ts";
import { findTokenSpans } from "../../../secrets/value-tokens/token-format.ts";
import { findValue, tokenPrefix } from "../../../secrets/value-tokens/value-tokens.ts";
import { refuseStep } from "../step/step-failure.ts";
import { hasText } from "./has-text.ts";
import type { SealLarge } from "./seal-large.ts";

/** The secrets of a row that a step called, without those that can be guessed. */
export type UsedRow = { rowId: string; secrets: RowSecrets };

/**
 * The secrets that a run has met: those of its workflow and of the rows that it called, and the
 * plaintexts of the owner's value tokens in its event and steps. Nothing is stored before it has
 * passed through this.
 */
export type RunMask = {
  seal(value: Json): Json;
  /** The same off the event loop. */
  sealLarge(value: Json): Promise<Json>;
  /** Cuts a text before it is sealed. A secret that the cut would split is left out. */
  cutText(text: string, bytesMax: number): string;
  sealText(text: string): string;
  addSecret(text: string): void;
  addRow(row: UsedRow): void;
  /** Adds the plaintexts of the tokens in a text. Returns whether there was a new one. */
  addTokens(text: string): boolean;
  /** From now on the token is known, and rendered fields may have it. */
  admitToken(token: string): void;
  /**
   * Throws for a token that the run has not met as a whole. A sender could send the parts of one that
   * belongs to the owner, and a template that puts them together would let it be opened.
   */
  checkTokens(value: Json): void;
};

type MaskOptions = {
  ring: KeyRing;
  userId: string;
  enabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
};

/** Every value is searched for each secret in all its encodings, so their number is limited. */
export const runSecretsMax = 500;

/** A mask without secrets, which costs nothing. */
export function createRunMask(options: MaskOptions): RunMask {
  const { ring, userId, enabled, sealLarge } = options;
  const known = new Set<string>();
  const opened = new Set<string>();
  /** All tokens that the run has met, also fake ones and those of rows that it has not called. */
  const met = new Set<string>();
  let own: Mask | null = null;
  // A mask is bound to one row at most, so each row has its own.
  const rows = new Map<string, { mask: Mask; secrets: RowSecrets }>();

  const admit = (text: string) => {
    known.add(text);
    if (known.size > runSecretsMax) {
      throw refuseStep(
        `The run has more than ${runSecretsMax} secret values, so its data cannot be searched for all of them. Use fewer rows and encrypted values.`,
      );
    }
  };

  function addSecret(text: string): void {
    if (text === "") return;
    admit(text);
    own ??= createMask(options);
    own.addSecret(text);
  }

  function addToken(token: string): boolean {
    if (opened.has(token)) return false;
    for (const rowId of [null, ...rows.keys()]) {
      const text = findValue(ring, { userId, rowId }, token);
      if (text === null) continue;
      opened.add(token);
      // Values of the user open in the calls of each row too, so they are never a row's here.
      const row = rowId === null ? undefined : rows.get(rowId);
      if (row === undefined) addSecret(text);
      else if (!isWeakSecret(text)) {
        admit(text);
        row.mask.addSecret(text, { ofRow: true });
      }
      return true;
    }
    return false;
  }

  const listMasks = () => [...(own === null ? [] : [own]), ...[...rows.values()].map(toMask)];
  return {
    // Sealing keeps JSON values.
    seal: (value) => listMasks().reduce((sealed, mask) => mask.sealJson(sealed) as Json, value),
    async sealLarge(value) {
      let sealed = value;
      for (const mask of listMasks()) sealed = await sealLarge(userId, mask, sealed);
      return sealed;
    },
    cutText(text, bytesMax) {
      let kept = cutTextAtCharacter(text, bytesMax);
      if (kept === text) return text;
      // A cut beside a secret of one mask can split a secret of another one.
      for (let isStable = false; !isStable; ) {
        isStable = listMasks().every((mask) => {
          const before = kept;
          kept = mask.cutText(text, textBytes(before));
          return kept === before;
        });
      }
      return kept;
    },
    sealText: (text) => listMasks().reduce((sealed, mask) => mask.sealText(sealed), text),
    addSecret,
    addRow({ rowId, secrets }) {
      const before = rows.get(rowId);
      if (secrets.texts.length === 0 || before?.secrets === secrets) return;
      for (const text of secrets.texts) admit(text);
      const mask = before?.mask ?? createMask(options);
      if (before === undefined) mask.bindRow(rowId);
      mask.addRowSecrets(secrets);
      rows.set(rowId, { mask, secrets });
    },
    addTokens(text) {
      if (!enabled || !text.includes(tokenPrefix)) return false;
      let isNew = false;
      for (const { start, end } of findTokenSpans(text)) {
        const token = text.slice(start, end);
        met.add(token);
        isNew = addToken(token) || isNew;
      }
      return isNew;
    },
    admitToken: (token) => met.add(token),
    checkTokens(value) {
      if (!enabled) return;
      const isStrange = (text: string) =>
        text.includes(tokenPrefix) &&
        findTokenSpans(text).some(({ start, end }) => !met.has(text.slice(start, end)));
      if (!hasText(value, isStrange)) return;
      throw refuseStep(
        "A field contains an encrypted value (hub_enc_…) that a template has put together. Pass encrypted values on as a whole.",
      );
    },
  };
}

function toMask({ mask }: { mask: Mask }): Mask {
  return mask;
}
