import { expect, test } from "bun:test";
import type { ContentKind } from "../../connectors/connector-port.ts";
import { ada, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, postStateless, request } from "../testing/post-message.ts";

/** An Mcp that records the content blocks that each call may return. */
function open() {
  const recorded: ContentKind[][] = [];
  const { mcp } = openTestMcp({
    async run({ contentKinds = [] }) {
      recorded.push([...contentKinds].toSorted());
      return null;
    },
  });
  return { mcp, recorded };
}

const oldest: ContentKind[] = ["image", "resource"];
const all: ContentKind[] = ["audio", "image", "resource", "resource_link"];

test("Over HTTP, a call returns the content blocks that its protocol version knows", async () => {
  const { mcp, recorded } = open();
  const call = (version: string | null) =>
    post(mcp, execute(), { headers: version === null ? {} : { "mcp-protocol-version": version } });
  for (const version of [null, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    await call(version);
  }
  const { params } = execute();
  await postStateless(mcp, "tools/call", params);
  expect(recorded).toEqual([oldest, oldest, ["audio", "image", "resource"], all, all, all]);
});

test("Over stdio, the version of initialize holds for the calls after it", async () => {
  const { mcp, recorded } = open();
  const lines = ["2024-11-05", "2025-11-25"].flatMap((protocolVersion, index) => [
    request("initialize", { protocolVersion }, `start ${index}`),
    execute({}, { id: index }),
  ]);
  const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await mcp.serveStdio({
    input: new Blob([bytes]).stream(),
    output: new WritableStream(),
    findCaller: async () => ada,
  });
  expect(recorded.toSorted()).toEqual([all, oldest]);
});
