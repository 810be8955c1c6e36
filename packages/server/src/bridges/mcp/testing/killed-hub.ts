/** Starts the program of a row, prints the pids of it, of its child and of its double fork, and is killed. */
import { join } from "node:path";
import { openTestBridge } from "./open-test-bridge.ts";

// With the launcher, where the system has a fence: what ends programs must not depend on their start.
const bridge = openTestBridge({ fenceMode: "auto" });
const args = [{ value: join(import.meta.dirname, "stdio-test-server.ts") }, { value: "none" }];
const config = { transport: "stdio", command: process.execPath, args };
const { result: child } = await bridge.callTool(config, "fork");
const { result: left } = await bridge.callTool(config, "double-fork");
const { result: program } = await bridge.callTool(config, "pid");
await Bun.write(Bun.stdout, `${program} ${child} ${left}`);
process.kill(process.pid, "SIGKILL");
