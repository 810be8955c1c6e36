import { existsSync } from "node:fs";
import type { Client } from "./client-definition.ts";
import type { Machine } from "./machine.ts";

/** The file that a client reads: the first that exists, otherwise the most usual one. */
export function findClientFile(client: Client, machine: Machine): string {
  const files = client.listFiles(machine);
  return files.find((file) => existsSync(file)) ?? files[0];
}

export function isInstalled(client: Client, machine: Machine): boolean {
  const path = machine.env.PATH ?? machine.env.Path ?? "";
  return (
    client.listTraces(machine).some((trace) => existsSync(trace)) ||
    client.commands.some((command) => Bun.which(command, { PATH: path }) !== null)
  );
}
