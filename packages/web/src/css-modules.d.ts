declare module "*.module.css" {
  const classes: Record<string, string>;
  export default classes;
}
/** The styles of the graph library, which are imported as a text. */
declare module "@xyflow/react/dist/base.css" {
  const text: string;
  export default text;
}
declare module "*.css" {}
