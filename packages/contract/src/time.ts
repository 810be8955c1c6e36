import { z } from "zod";

/** A time in RFC 3339, in UTC, such as `2026-11-20T09:42:00.000Z`. */
export const timeSchema = z.iso.datetime();

/** Formats the store's epoch milliseconds as a time. */
export function toTimeText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
