import type { KeyRing } from "../keys/key-ring.ts";
import { noRowId } from "./no-row-id.ts";
import { findValue, sealValue } from "./value-tokens.ts";

/** Converts secrets to tokens. It needs the keys, which only the main thread has. */
export type Sealer = {
  seal(text: string, ofRow: boolean): string;
  /** Whether a token can be opened. A server could hide a secret in a fake token. */
  isGenuine(token: string): boolean;
};

export type SealerOptions = {
  ring: KeyRing;
  userId: string;
  /** `user` (`HUB_ROW_TOKENS`): tokens of a row's secrets open in all calls of the user. */
  rowTokens?: RowTokens;
};

export type RowTokens = "bound" | "user";

type MadeTokens = Record<"user" | "row", Map<string, string>> & { genuine: Map<string, boolean> };

/** Caches sealed texts and opened tokens, because both cost much more than a search. */
export function createSealer({ ring, userId, rowTokens = "bound" }: SealerOptions) {
  /** Made for the first token: the answers of most calls have none. */
  let made: MadeTokens | null = null;
  const openMade = () => {
    made ??= { user: new Map(), row: new Map(), genuine: new Map() };
    return made;
  };
  let rowId: string | null = null;

  const findRowToBind = (): string | null => {
    if (rowTokens === "user" && rowId !== noRowId) return null;
    // Without the row, the token would open in all calls of the user.
    if (rowId === null) throw new Error("A secret of a row is sealed before its row is known");
    return rowId;
  };

  return {
    bindRow(id: string): void {
      if (rowId !== null && rowId !== id) throw new Error("A call is bound to one row");
      rowId = id;
      made?.genuine.clear();
    },
    /** All matches become tokens here. */
    seal(text: string, ofRow: boolean): string {
      const { user, row, genuine } = openMade();
      const known = (ofRow ? row : user).get(text);
      if (known !== undefined) return known;
      const token = sealValue(ring, { userId, rowId: ofRow ? findRowToBind() : null }, text);
      (ofRow ? row : user).set(text, token);
      genuine.set(token, true);
      return token;
    },
    isGenuine(token: string): boolean {
      const { genuine } = openMade();
      const known = genuine.get(token) ?? findValue(ring, { userId, rowId }, token) !== null;
      genuine.set(token, known);
      return known;
    },
  };
}
