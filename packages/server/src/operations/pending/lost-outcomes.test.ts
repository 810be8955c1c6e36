/** Protects: a call that has run is not said to have failed, nor run again, because its outcome could not be stored. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HubError } from "../../errors.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { openTestRing } from "../testing/open-test-operations.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

const full = new HubError("unavailable", "The hub cannot save anything: its disk is full.");

/** A hub that fails at one place of the end of a call. */
async function openFailingHub(owned: AsyncDisposableStack, place: "record" | "result") {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-lost-"));
  owned.defer(() => rm(dataDir, { recursive: true }));
  const store = await openTestStore({ dataDir });
  owned.defer(() => store.close());
  const ring = await openTestRing();
  let fails = false;
  const failAt = (here: typeof place) => (fails && here === place ? Promise.reject(full) : null);
  const hub = await openAskedHub({
    store: {
      ...store,
      runs: {
        ...store.runs,
        finish: (...ended) => failAt("record") ?? store.runs.finish(...ended),
      },
    },
    ring: { current: ring.current, reload: () => failAt("result") ?? ring.reload() },
  });
  owned.defer(() => hub.close());
  return Object.assign(hub, {
    setFailing(isFailing: boolean) {
      fails = isFailing;
    },
  });
}

test.each([
  "record",
  "result",
] as const)("A call that ran and whose %s could not be stored is of unknown outcome", async (place) => {
  await using owned = new AsyncDisposableStack();
  const hub = await openFailingHub(owned, place);
  const rowId = await hub.addAskedRow();
  const id = await hub.ask(rowId, { text: "once" });
  await hub.decide(id, "approved");
  hub.setFailing(true);
  const lost = await hub.call(rowId, { text: "once" }).catch((thrown: unknown) => thrown);
  expect(lost).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("may have taken effect"),
  });
  hub.setFailing(false);
  expect(await hub.findState(id)).toBe("unknown");
  const again = await hub.ask(rowId, { text: "once" });
  expect(again).not.toBe(id);
  expect((await hub.findCall(again))?.shown.note).toContain("its outcome could not be stored");
  expect(hub.sent).toEqual(["once"]);
});
