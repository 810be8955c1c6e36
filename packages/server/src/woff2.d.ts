/** With `{ type: "file" }`, the path of the file, which a compiled program has inside. */
declare module "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" {
  const path: string;
  export default path;
}
