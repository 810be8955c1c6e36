import { type MaskedSecret, type Needles, toNeedles } from "../needles/needles.ts";
import type { RowSecrets } from "./row-secrets.ts";
import { toWholeValues, type WholeValues } from "./whole-values.ts";

export type SecretOptions = {
  /**
   * Whether this is a secret of the called row. A text that is also added without this option
   * belongs to the user.
   */
  ofRow?: boolean;
  /**
   * Whether the caller sent the text in plaintext. Such a text must not reveal a part of an opened
   * value.
   */
  isFromCaller?: boolean;
  /**
   * Whether the text was found in a text that contains an opened value, such as the password of a
   * Basic header. It may be what the caller wrote around the value, so a secret of the row stays the row's.
   */
  isDerived?: boolean;
};

const ofTheRow: SecretOptions = { ofRow: true };

/** The secrets of one mask, and what is built of them for a search, on first use. */
export class MaskSecrets {
  readonly #secrets = new Map<string, MaskedSecret>();
  /** Texts that belong to the user. Their tokens open in all calls of the user. */
  readonly #ofUser = new Set<string>();
  #needles: Needles | null = null;
  #wholeValues: WholeValues | null = null;
  /** Set if there are the row's secrets only. Then their prepared needles are used. */
  #onlyRow: RowSecrets | null = null;

  isEmpty(): boolean {
    return this.#secrets.size === 0;
  }

  add(text: string, ignoreCase: boolean, options: SecretOptions = {}): void {
    // A connector in plain JavaScript may pass any type. This call must fail then, not the sealing
    // of the result.
    if (typeof text !== "string") throw new TypeError("Only a text can be masked");
    if (text === "") return;
    const { ofRow = false, isFromCaller = false, isDerived = false } = options;
    const key = `${ignoreCase}:${text}`;
    // Adding a secret again must not rebuild the needles.
    if (!this.#changesOwner(key, text, ofRow, isDerived)) return;
    if (!ofRow && !isDerived) this.#ofUser.add(text);
    this.#secrets.set(key, { text, ignoreCase, ofRow, ...(isFromCaller && { isFromCaller }) });
    this.#needles = null;
    this.#wholeValues = null;
    this.#onlyRow = null;
  }

  /** Whether a secret is new, or belongs to another from now on. */
  #changesOwner(key: string, text: string, ofRow: boolean, isDerived: boolean): boolean {
    const known = this.#secrets.get(key);
    if (known === undefined) return true;
    if (this.#ofUser.has(text)) return false;
    return ofRow ? !known.ofRow : !isDerived;
  }

  addRow(row: RowSecrets): void {
    const isFirst = this.isEmpty();
    for (const text of row.texts) this.add(text, false, ofTheRow);
    if (isFirst && this.#secrets.size === row.texts.length) this.#onlyRow = row;
  }

  /** All as plain data. A text that belongs to the user is no secret of the row. */
  list(): MaskedSecret[] {
    return [...this.#secrets.values()].map((secret) => ({
      ...secret,
      ofRow: secret.ofRow && !this.#ofUser.has(secret.text),
    }));
  }

  openNeedles(): Needles {
    this.#needles ??= this.#onlyRow?.needles() ?? toNeedles(this.list());
    return this.#needles;
  }

  openWholeValues(): WholeValues {
    this.#wholeValues ??= toWholeValues(this.list());
    return this.#wholeValues;
  }
}
