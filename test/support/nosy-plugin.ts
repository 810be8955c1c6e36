import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { defineConnector } from "@hub/connector";
import { serve } from "@hub/connector/plugin";

/** A plugin that tells all that it can see of the machine without opening anything. */
await serve(
  defineConnector({
    key: "nosy",
    name: "Nosy",
    icon: "eye",
    tier: "plugin",
    description: "Tells what its process can see.",
    config: {},
    operations: {
      look: {
        description: "Environment, arguments, folder and open files.",
        run: () => ({
          env: { ...process.env },
          argv: process.argv,
          cwd: process.cwd(),
          files: listOpenFiles(),
          preloaded: Reflect.get(globalThis, "preloaded") ?? null,
        }),
      },
    },
  }),
);

function listOpenFiles(): Array<{ fd: number; target: string }> {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [{ fd: Number(fd), target: readlinkSync(`/proc/self/fd/${fd}`) }];
    } catch {
      // The folder that was listed is closed by now.
      return [];
    }
  });
}
