/** With `{ type: "file" }`, the path of the file, which a compiled program has inside. */
declare module "@jitl/quickjs-wasmfile-release-sync/wasm" {
  const path: string;
  export default path;
}
