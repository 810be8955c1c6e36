import { z } from "zod";

/** A moment as RFC 3339 text in UTC, such as `2026-11-20T09:42:00.000Z`. */
export const timeSchema = z.iso.datetime();

/** Turns the store's epoch milliseconds into the text that answers carry. */
export function toTimeText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
