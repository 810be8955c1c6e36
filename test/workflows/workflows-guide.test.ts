/** The guide to workflows is correct: its commands run, and their output matches the guide. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join, resolve } from "node:path";
import { createDataFolder } from "../support/data-folder.ts";
import { runGuide } from "../support/run-guide.ts";
import { startHub } from "../support/start-hub.ts";

setDefaultTimeout(180_000);

const guide = resolve(import.meta.dirname, "../../docs/guide/workflows.md");

test("Every command of the guide to workflows prints the output that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const { path: cwd } = owned.use(await createDataFolder());
  const hub = owned.use(await startHub({ isHere: true }));
  const opened: unknown[] = [];
  const tracker = Bun.serve({
    port: 0,
    async fetch(req) {
      opened.push(await req.json());
      return Response.json({ number: 7 });
    },
  });
  owned.defer(() => tracker.stop(true));
  const text = await Bun.file(guide).text();
  const [, body = ""] = /```json\n([\s\S]*?)^```/m.exec(text) ?? [];
  await runGuide({
    guide: text,
    hub,
    outsidePort: Number(tracker.port),
    cwd,
    beforeCommand: async (toReal) => {
      await Bun.write(join(cwd, "issue.json"), toReal(body));
    },
  });
  expect(opened).toEqual([{ title: "The shop is down" }]);
});
