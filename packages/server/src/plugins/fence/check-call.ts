import { getSystemErrorName } from "node:util";

/** Throws an Error if a system call failed: it returned a negative error number. */
export function checkCall(name: string, result: number): void {
  if (result < 0) throw new Error(`${name} failed with ${getSystemErrorName(result)}`);
}
