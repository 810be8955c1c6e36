/** The words that people read for each state of a row. Apart from the schemas, which pages do not load. */
export const rowStateTexts = {
  disabled: "Disabled",
  needs_setup: "Needs setup",
  unreachable: "Cannot be reached",
  refused: "Refused",
  failing: "Failing",
  needs_review: "Needs review",
  unused: "Unused",
  ready: "Ready",
} as const;
