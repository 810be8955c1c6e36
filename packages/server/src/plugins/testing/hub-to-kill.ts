/**
 * A hub that a test kills: runs one plugin, prints its pid and keeps a call running. Its arguments are
 * a program, the plugin's key, its `module` as JSON and a folder for temporary files.
 */

import { openTestProcesses, toInstalled } from "./open-test-processes.ts";
import { createTestCall } from "./test-call.ts";

const [binaryPath = "", key = "", module = "", systemTmp = ""] = process.argv.slice(2);
const { pool, toConnector } = openTestProcesses({ systemTmp, fenceMode: "auto" });
const connector = toConnector(
  toInstalled({ binaryPath, manifest: JSON.parse(module), remove() {} }, key),
);
await connector.invoke(createTestCall({ operation: "look_around" }).call);
const busy = createTestCall({
  operation: key === "fixture" ? "spin" : "hang",
  config: { base_url: "https://x.test" },
});
connector.invoke(busy.call).catch(() => {});
console.log(JSON.stringify(pool.list().map(({ pid }) => pid)));
