import type { KeyRing } from "./key-ring.ts";
import { findValue, sealValue } from "./value-tokens.ts";

/** What turns a secret into its token. It needs the keys, which never leave the main thread. */
export type Sealer = {
  seal(text: string, ofRow: boolean): string;
  /** Whether a token opens: a server could hide a secret in what only looks like a token. */
  isGenuine(token: string): boolean;
};

export type SealerOptions = {
  ring: KeyRing;
  userId: string;
  /** `user` (`HUB_ROW_TOKENS`): a row's secrets become tokens that open in all calls of the user. */
  rowTokens?: RowTokens;
};

export type RowTokens = "bound" | "user";

/** Each text is sealed once, and each token opened once: both cost far more than a search. */
export function createSealer({ ring, userId, rowTokens = "bound" }: SealerOptions) {
  const tokens = { user: new Map<string, string>(), row: new Map<string, string>() };
  const genuine = new Map<string, boolean>();
  let rowId: string | null = null;

  const findRowToBind = (): string | null => {
    if (rowTokens === "user") return null;
    // Sealed without it, the secret would open wherever the user likes.
    if (rowId === null) throw new Error("A secret of a row is sealed before its row is known");
    return rowId;
  };

  return {
    bindRow(id: string): void {
      if (rowId !== null && rowId !== id) throw new Error("A call is bound to one row");
      rowId = id;
      genuine.clear();
    },
    /** The one place where what was matched becomes a token. */
    seal(text: string, ofRow: boolean): string {
      const known = (ofRow ? tokens.row : tokens.user).get(text);
      if (known !== undefined) return known;
      const token = sealValue(ring, { userId, rowId: ofRow ? findRowToBind() : null }, text);
      (ofRow ? tokens.row : tokens.user).set(text, token);
      genuine.set(token, true);
      return token;
    },
    isGenuine(token: string): boolean {
      const known = genuine.get(token) ?? findValue(ring, { userId, rowId }, token) !== null;
      genuine.set(token, known);
      return known;
    },
  };
}
