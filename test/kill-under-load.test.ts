/**
 * Protects: every reply that a client got has its row with just its outcome, though the server was
 * killed; interrupted calls read `cancelled`; nothing of a live process is touched (trap 16). Some
 * kills here, more of them by scripts/kill-under-load.ts.
 */
import { expect, test } from "bun:test";
import { amount } from "@hub/server/lib/testing/amount.ts";
import { killUnderLoad } from "./support/kill-under-load.ts";

test("a server that is killed under load, again and again, has told no client anything that the audit does not say", async () => {
  const count = amount(2, 5);
  const report = await killUnderLoad({ seed: 20_261_120, count });
  expect(report.kills).toBeGreaterThanOrEqual(count);
  expect(report.replied).toBeGreaterThan(0);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.rows).toBe(report.replied + report.interrupted + report.replyLost);
  expect(report.sent).toBe(report.rows + report.notWritten);
  // Every second round has a call of another process.
  expect(report.keptRunning).toBe(Math.ceil(count / 2));
}, 300_000);
