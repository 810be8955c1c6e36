/**
 * The searches that `check-text-search.ts` cannot prove to be short or linear, and why they are. A call is named
 * by the beginning of its source.
 */

const list = "The receiver is a list, as its type says.";
const engine = "This is the helper itself; its needle has at most 64 characters.";
const constants = "The needle is one of a few constants of the file.";
const short = "The needle has at most two characters.";
const ownPattern = "The pattern is made of constants of the program, not of data.";

export const searchExceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "packages/cli/src/bundle/prune-bundles.ts": { "new RegExp(`^${name}": ownPattern },
  "packages/cli/src/clients/config-files/line-diff.ts": {
    "new RegExp(`\\\\bhub_(${anyHubTokenKind})": ownPattern,
  },
  "packages/cli/src/clients/own-entry.ts": { "written.includes(name)": list },
  "packages/cli/src/operations/review-text.ts": { "required.includes(key)": list },
  "packages/connector/src/fields/field-pattern.ts": {
    'new RegExp(pattern, "u")':
      "The pattern of a connector's author has at most 300 characters; an admin's value at most 2,000.",
  },
  "packages/connector/src/fields/field-value.ts": { "field.options.includes(text)": list },
  "packages/connector/src/fields/find-missing.ts": { "condition.values.includes(": list },
  "packages/connector/src/fields/text-format.ts": { "new RegExp(formatPatterns.": ownPattern },
  "packages/connector/src/text-search.ts": { "text.": engine },
  "packages/server/src/bridges/mcp/results/keep-digits.ts": {
    'new RegExp(`"${mark}': ownPattern,
    "text?.includes(mark)": "The mark has 45 characters.",
  },
  "packages/server/src/bridges/mcp/secrets/find-exposed-secrets.ts": {
    "new RegExp( String.raw`(?<![A-Za-z0-9])(?:sk-": ownPattern,
  },
  "packages/server/src/bridges/mcp/secrets/secret-pairs.ts": { "line.indexOf(separator)": short },
  "packages/server/src/operations/masking/hub-tokens.ts": {
    "new RegExp(`hub_(${anyHubTokenKind})": ownPattern,
    "new RegExp(`hub_(?:${anyHubTokenKind})": ownPattern,
  },
  "packages/server/src/workflows/webhooks/body/read-form.ts": {
    "bytes.indexOf(ampersand": "The needle is one byte.",
    "bytes.subarray(start, end).indexOf(equals)": "The needle is one byte.",
  },
  "packages/server/src/channels/telegram/format/split-text.ts": {
    "part.lastIndexOf(border": constants,
  },
  "packages/server/src/lib/text/hide-paths.ts": {
    "new RegExp(`(?:unix:)?":
      "The pattern has alternatives of the hub's own paths only, each escaped.",
  },
  "packages/server/src/lib/files/packed-files.ts": { "new RegExp(`(?:^|/)${kind}": ownPattern },
  "packages/server/src/lib/text/strip-invisible.ts": {
    "text.replace(lineEnds": constants,
    "lines.replace(invisible": constants,
  },
  "packages/server/src/operations/calls/to-connector-call.ts": {
    "secrets.texts.includes(value)": list,
  },
  "packages/server/src/plugins/fence/list-rules.ts": {
    "hidden.includes(path)": list,
    "kept.includes(path)": list,
  },
  "packages/server/src/secrets/needles/estimate-strength.ts": {
    "order.includes(": "The text that is searched is a constant.",
  },
  "packages/server/src/secrets/views/join-lines.ts": {
    "view.text.includes(removed)": short,
    'part.replace(pattern, "")': "The patterns are constants of the file.",
  },
  "packages/server/src/secrets/needles/needle-index.ts": { "haystack.indexOf(wanted": short },
  "packages/server/src/secrets/views/text-views.ts": { "original.text.includes(mark)": constants },
  "packages/server/src/secrets/value-tokens/token-format.ts": {
    "text.indexOf(headerStart": "The start of a header has six characters.",
  },
  "packages/server/src/services/hub-file/export-hub.ts": { "visibleWhen.values.includes(": list },
  "packages/server/src/services/keys/sealing-key.ts": { "recorded.includes(own)": list },
  "packages/server/src/store/workflows/workflow-triggers.ts": { "listed.includes(severity)": list },
  "packages/server/src/workflows/engine/dry-run/pinned-outcome.ts": {
    "cases.includes(given)": list,
  },
  "packages/server/src/workflows/definition/workflow-access.ts": {
    "including[right].includes(access)": list,
  },
  "packages/server/src/workflows/definition/change-workflow.ts": { "present.includes(tag)": list },
  "packages/server/src/workflows/validation/checks/check-graph.ts": {
    "cases.includes(name)": list,
  },
  "plugins/codehost/src/errors/permission.ts": {
    "scopes.includes(scope)": list,
    "text .split(separator)": constants,
  },
  "plugins/logs/src/operations/label-values.ts": { "names.includes(label)": list },
  "plugins/logs/src/query/find-hint.ts": {
    "names.includes(label)": list,
    "values.includes(value)": list,
  },
};
