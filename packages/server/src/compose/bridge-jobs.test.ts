import { expect, test } from "bun:test";
import { openTestBridge } from "../bridges/mcp/testing/open-test-bridge.ts";
import { serveMcp } from "../bridges/mcp/testing/serve-mcp.ts";
import type { Directory, Row } from "../connectors/rows/row-directory.ts";
import { waitUntil } from "../lib/testing/wait-until.ts";
import { createSessionJob } from "./bridge-jobs.ts";

type State = "enabled" | "disabled" | "deleted" | "type disabled" | "changed";

test.each<State>([
  "disabled",
  "deleted",
  "type disabled",
  "changed",
])("The sessions of a row that is %s end, and those of another row stay", async (end) => {
  await using owned = new AsyncDisposableStack();
  const server = serveMcp({});
  owned.defer(() => server.close());
  const bridge = openTestBridge();
  owned.defer(() => bridge.close());
  const call = (rowId: string, userId: string) =>
    bridge.callTool({ url: server.url }, "any", {}, { rowId, userId });
  await Promise.all([call("one", "ada"), call("one", "bob"), call("other", "ada")]);

  let state: State = "enabled";
  const { host } = new URL(server.url);
  const toRow = (id: string) =>
    ({
      connectorKey: id,
      disabled: id === "one" && state === "disabled",
      config: () => ({
        values: {
          transport: "http",
          auth_mode: "none",
          shared_session: false,
          url: server.url,
          ...(id === "one" && state === "changed" && { auth_mode: "bearer" }),
        },
        savedHosts: [host],
      }),
    }) as unknown as Row;
  const directory: Pick<Directory, "find" | "isTypeDisabled"> = {
    find: (id) => (id === "one" && state === "deleted" ? null : toRow(id)),
    isTypeDisabled: (key) => key === "one" && state === "type disabled",
  };
  const job = createSessionJob({
    sessions: bridge.sessions,
    directory: { current: async () => directory as Directory },
    outboundAllow: [],
  });
  await job.run();
  expect(bridge.sessions.count()).toBe(3);
  state = end;
  await job.run();
  expect(bridge.sessions.listRows()).toEqual(["other"]);
  // The server has been told, too.
  const isLeft = () => server.sessions.size > 1 || bridge.sessions.count() > 1;
  await waitUntil(() => !isLeft());
  expect([server.sessions.size, bridge.sessions.count()]).toEqual([1, 1]);
});
