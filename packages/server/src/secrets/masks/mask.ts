import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import type { MaskedSecret } from "../needles/needles.ts";
import { createSealer, type Sealer, type SealerOptions } from "../value-tokens/sealer.ts";
import { stepOutOfTokens } from "../value-tokens/token-format.ts";
import { findCut, findListCut, findReach } from "./find-cut.ts";
import { limitSeals } from "./limit-seals.ts";
import { mapJson } from "./map-json.ts";
import { MaskSecrets, type SecretOptions } from "./mask-secrets.ts";
import { MatchSealer } from "./match-sealer.ts";
import type { RowSecrets } from "./row-secrets.ts";

/** All secrets of one call. Everything that leaves the call passes through it. */
export type Mask = {
  /** From now on, the text leaves only as a token of this user, in whatever encoding. */
  addSecret(text: string, options?: SecretOptions): void;
  /** The same for the text in any mixture of upper and lower case. */
  addSecretIgnoreCase(text: string, options?: SecretOptions): void;
  /** Adds the secrets of the called row. */
  addRowSecrets(secrets: RowSecrets): void;
  /**
   * Binds the mask to the row of the call. The row's secrets become tokens that open only in calls
   * of this row. Such tokens in a text are recognized as genuine.
   */
  bindRow(rowId: string): void;
  /** All secrets as plain data, so that another thread can build the needles. */
  listSecrets(): MaskedSecret[];
  /**
   * Replaces the secrets in a text by tokens of exactly the matched characters. Opening the tokens
   * restores the text.
   */
  sealText(text: string): string;
  /**
   * Seals the strings and keys of a JSON value. Numbers whose digits are a secret become tokens.
   * Parts without a secret keep their identity. Throws `upstream_error` for cyclic values.
   */
  sealJson(value: unknown): unknown;
  /** Whether sealing would change the text. Also true if it cannot be searched within its limit. */
  holdsSecret(text: string): boolean;
  /**
   * Cuts a text before it is sealed, so that its JSON has at most this many bytes. A secret that
   * the cut would split is left out.
   */
  cutText(text: string, bytesMax: number): string;
  /**
   * The last index up to `end` where a cut of the list does not split a secret, whose bytes may be
   * numbers of the list.
   */
  cutList(items: readonly unknown[], end: number): number;
  /** Makes the tokens of this mask, for texts that another thread has searched. */
  sealer: Sealer;
};

type MaskOptions = SealerOptions & {
  /** False (`HUB_ENC_DISABLE`) means that nothing is replaced. */
  enabled: boolean;
};

/** Creates an empty mask for one call of one user. */
export function createMask({ enabled, ...options }: MaskOptions): Mask {
  return new UserMask(createSealer(options), enabled);
}

/**
 * Creates an empty mask with another sealer, such as a worker's sealer that asks the main thread.
 */
export function createMaskWithSealer(sealer: Sealer, enabled: boolean): Omit<Mask, "bindRow"> {
  return new SecretsMask(sealer, enabled);
}

class SecretsMask implements Omit<Mask, "bindRow"> {
  readonly sealer: Sealer;
  readonly #isEnabled: boolean;
  readonly #secrets = new MaskSecrets();
  readonly #matches: MatchSealer;

  /** `limited` makes the tokens of what this mask searches itself. */
  constructor(sealer: Sealer, isEnabled: boolean, limited = sealer) {
    this.sealer = sealer;
    this.#isEnabled = isEnabled;
    this.#matches = new MatchSealer(this.#secrets, limited);
  }

  addSecret(text: string, options?: SecretOptions): void {
    this.#secrets.add(text, false, options);
  }

  addSecretIgnoreCase(text: string, options?: SecretOptions): void {
    this.#secrets.add(text, true, options);
  }

  addRowSecrets(secrets: RowSecrets): void {
    this.#secrets.addRow(secrets);
  }

  listSecrets(): MaskedSecret[] {
    return this.#secrets.list();
  }

  sealText(text: string): string {
    return this.#isIdle() ? text : this.#matches.mapText(text);
  }

  sealJson(value: unknown): unknown {
    return this.#isIdle() ? value : mapJson(value, this.#matches);
  }

  holdsSecret(text: string): boolean {
    return !this.#isIdle() && this.#matches.search(text)?.length !== 0;
  }

  cutText(text: string, bytesMax: number): string {
    const { length } = cutTextAtCharacter(text, bytesMax);
    if (length === text.length) return text;
    const end = stepOutOfTokens(text, length);
    if (this.#isIdle()) return text.slice(0, end);
    const search = (part: string) => this.#matches.search(part);
    const cut = findCut(text, end, findReach(this.#secrets.list()), search);
    return text.slice(0, cut === end ? end : stepOutOfTokens(text, cut));
  }

  cutList(items: readonly unknown[], end: number): number {
    if (this.#isIdle()) return end;
    const search = (part: string) => this.#matches.search(part);
    return findListCut(items, end, findReach(this.#secrets.list()), search);
  }

  #isIdle(): boolean {
    return !this.#isEnabled || this.#secrets.isEmpty();
  }
}

/** Seals a limited number of secrets at once. */
class UserMask extends SecretsMask implements Mask {
  readonly #bound: ReturnType<typeof createSealer>;
  readonly #limited: ReturnType<typeof limitSeals>;

  constructor(sealer: ReturnType<typeof createSealer>, isEnabled: boolean) {
    const limited = limitSeals(sealer);
    super(sealer, isEnabled, limited);
    this.#bound = sealer;
    this.#limited = limited;
  }

  bindRow(rowId: string): void {
    this.#bound.bindRow(rowId);
  }

  override sealText(text: string): string {
    this.#limited.restart();
    return super.sealText(text);
  }

  override sealJson(value: unknown): unknown {
    this.#limited.restart();
    return super.sealJson(value);
  }
}
