/** The limits of a body. `bytesMax` counts the UTF-8 bytes of its JSON without white space. */
export const workflowBodyLimits = {
  bytesMax: 1024 * 1024,
  /** How deep lists and objects may be nested. */
  depthMax: 64,
  /** All values of the body together, with lists, objects and what is in them. */
  valuesMax: 50_000,
  nodesMax: 500,
  edgesMax: 2000,
  triggersMax: 100,
  commentsMax: 200,
  /** Characters of the text of a comment. */
  commentCharsMax: 4000,
  /** Entries of `env`, and of each field for headers or a query. */
  textsMax: 100,
} as const;
