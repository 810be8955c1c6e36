/**
 * Words that are not used any more, and what stands in their place. A new word is one line here. A pattern is the
 * source of a regular expression, matched in whole files: identifiers, comments, titles and prose.
 */
export const oldWords: Readonly<Record<string, string>> = {
  "#?\\bnote(?:Crash|End|Failure|Start|Answer|Backup|Commit|Fault|Forwarder|HttpStatus|Request|Route|Sent|Step|Success|Use|Versions?|Wait)\\b":
    "record…",
  "(?:\\* |// )Notes (?:that|what|how|when|why)\\b": "Records …",
  "\\bgates of [`*]*sight\\b": "visibility",
  "\\b(?:createTurns|createTurnLines|LimitedTurns|takeTurn|NetworkTurn)\\b":
    "lane, permit or round",
  "\\b(?:Request|Hash|Message|Review|Channel|ApiKey)Place\\b":
    "what it is: queue key, location, position",
  "\\b\\w*[tT]roubles\\b": "health problems",
  "\\bsettle(?:All|ApprovalMessage)\\b": "complete…",
  "\\b(?:mayRehearse|[wW]orkflowRehearsal\\w*)\\b": "dry run",
};

/** Files that may have old words, with the reason. */
export const oldWordExceptions: Readonly<Record<string, string>> = {
  "packages/server/src/compose/open-channels.ts": "It imports from a folder that is not checked.",
  "packages/server/src/compose/open-services.ts": "It imports from a folder that is not checked.",
  "packages/server/src/services/service-deps.ts": "It imports from a folder that is not checked.",
  "packages/server/src/services/testing/open-test-services.ts":
    "It imports from a folder that is not checked.",
  "packages/server/src/http/api/endpoints/workflow-run-event-endpoints.ts":
    "It calls a function of a folder that is not checked.",
  "scripts/old-words.ts": "This is the table itself.",
  "scripts/check-words.test.ts": "The test plants an old word.",
};

/** Folders whose words are checked by name elsewhere. Delete an entry to check its folder. */
export const uncheckedFolders =
  /^(?:packages\/server\/src\/(?:workflows|channels|store\/workflow-writes)|test\/(?:workflows|channels))\//;
