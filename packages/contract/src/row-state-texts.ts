/** The words that people read for each state of a row. Apart from the schemas, which pages do not load. */
export const rowStateTexts = {
  disabled: "Disabled",
  needs_setup: "Needs setup",
  needs_review: "Needs review",
  unreachable: "Cannot be reached",
  refused: "Refused",
  failing: "Failing",
  unused: "Unused",
  ready: "Ready",
} as const;
