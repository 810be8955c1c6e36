/**
 * Protects: every reply that a client got has its row with just its outcome, though the server was
 * killed; interrupted calls read `cancelled`; nothing of a live process is touched (trap 16). Some
 * kills here, more of them by scripts/kill-under-load.ts.
 */
import { expect, test } from "bun:test";
import { killUnderLoad } from "./support/kill-under-load.ts";

test("a server that is killed under load, again and again, has told no client anything that the audit does not say", async () => {
  const report = await killUnderLoad({ seed: 20_261_120, count: 5 });
  expect(report.kills).toBeGreaterThanOrEqual(5);
  expect(report.replied).toBeGreaterThan(0);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.rows).toBe(report.replied + report.interrupted + report.replyLost);
  expect(report.sent).toBe(report.rows + report.notWritten);
  expect(report.keptRunning).toBe(3);
}, 300_000);
