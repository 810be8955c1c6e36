import type { TokenBounds } from "@hub/contract/token.ts";

/** What the fields of bounds hold. */
export type BoundTexts = {
  /** The id of a row; null for all rows. */
  row: string | null;
  /** Tool ids, one a line. */
  operations: string;
  /** Addresses and networks, with commas between them. */
  addresses: string;
};

export const noBounds: BoundTexts = { row: null, operations: "", addresses: "" };

/** The member `bounds` of a request. Left out if no field has a text. */
export function toBounds({ row, operations, addresses }: BoundTexts): { bounds?: TokenBounds } {
  const operationList = toList(operations);
  const addressList = toList(addresses);
  const bounds: TokenBounds = {
    ...(row !== null && { rows: [row] }),
    ...(operationList.length > 0 && { operations: operationList }),
    ...(addressList.length > 0 && { addresses: addressList }),
  };
  return Object.keys(bounds).length === 0 ? {} : { bounds };
}

/** Bounds in a few words, for tables. */
export function describeBounds(bounds: TokenBounds | null): string {
  if (bounds === null) return "All that its user may call";
  const { rows = [], operations = [], addresses = [] } = bounds;
  const parts = [
    count(rows.length, "row"),
    count(operations.length, "operation"),
    count(addresses.length, "address", "addresses"),
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function count(amount: number, one: string, many = `${one}s`): string | null {
  return amount === 0 ? null : `${amount} ${amount === 1 ? one : many}`;
}

function toList(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
