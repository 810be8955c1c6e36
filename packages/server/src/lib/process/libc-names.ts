/** The file names of the C library of this system, for `dlopen`. Empty if no part of the hub uses it. */
export function listLibcNames(): string[] {
  if (process.platform === "darwin") return ["libSystem.B.dylib"];
  if (process.platform !== "linux") return [];
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
  return ["libc.so.6", `libc.musl-${machine}.so.1`];
}
