import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { defineConnector } from "@hub/connector";
import { serve } from "@hub/connector/plugin";

/** A plugin that returns everything that its process can see without opening files. */
await serve(
  defineConnector({
    key: "probe",
    name: "Probe",
    icon: "eye",
    tier: "plugin",
    description: "Returns what its process can see.",
    config: {},
    operations: {
      look: {
        description: "Returns the environment, arguments, folder and open files.",
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
      // The descriptor of the listed folder is already closed.
      return [];
    }
  });
}
