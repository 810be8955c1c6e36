import { dlopen, ptr } from "bun:ffi";
import { listLibcNames } from "@hub/server/lib/process/libc-names.ts";

/** Two sockets that are connected, as file descriptors. */
export function openSocketPair(): [number, number] {
  const [name = ""] = listLibcNames();
  const { socketpair } = dlopen(name, {
    socketpair: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" },
  }).symbols;
  const pair = new Int32Array(2);
  const [unix, stream] = [1, 1];
  if (socketpair(unix, stream, 0, ptr(pair)) !== 0) throw new Error("There is no socket pair.");
  return [pair[0] ?? -1, pair[1] ?? -1];
}
