/** A word that is not used any more. Its pattern is matched in identifiers, comments, titles and prose. */
export type OldWord = {
  pattern: RegExp;
  instead: string;
  /** A line that must be refused. */
  example: string;
  /** Only paths that match it are searched. */
  in?: RegExp;
  /** Searched in the paths of files, not in their texts. */
  isOfPath?: true;
  exceptions?: readonly Exception[];
};

/** A name of the API, of the database or of an outside system. */
type Exception = { files: RegExp; reason: string };

/**
 * The words, and what stands in their place. Some words stay because they say something else: a *turn* of the event
 * loop; a promise that has *settled*; *leave out*; `place` as a verb, and as a local name of what its type says; the *trial* of
 * a draft, which models start and which sends for 15 minutes at most; the *preview* of a template, a schedule or a
 * resumed run. Trials and previews are no dry runs.
 */
export const oldWords: readonly OldWord[] = [
  {
    pattern:
      /\bGiven\b(?=\s*[=<>[\]{};,)|&])|\b(?:File|collect|pick|checkAny|to)Given\b|\bGivenJson\w*/,
    instead: "what it is: options, input, run context",
    example: "type Given = { name: string };",
  },
  {
    pattern: /\b(?:create)?Outlook\w*|\boutlook\b/,
    instead: "lookahead",
    example: "const outlook = createOutlook(deps);",
  },
  {
    pattern: /\w*[sS]tray\w*/,
    instead: "orphaned",
    example: "const strays = await findStrayRuns(db);",
  },
  {
    pattern: /\b[rR]ooms?\b|\b\w*[a-z]Room\b|\broom[A-Z]\w*/,
    instead: "capacity; of disks and memory, space",
    example: "/** Waits until there is room. */",
    exceptions: [
      {
        files: /^bench\/discovery\//,
        reason: "rooms of buildings, in descriptions of other services",
      },
    ],
  },
  {
    pattern: /\b(?:create)?Sight\b|\bsight\b/,
    instead: "visibility; for what a person sees, viewer",
    example: "/** The gates of sight. */",
  },
  {
    pattern: /\b[pP]ress(?:es|ed)?\b|\b\w*[a-z]Press\w*|\bPress[A-Z]\w*|\bpress[A-Z]\w*/,
    in: /^(?:packages\/server\/src\/channels|test\/channels)\//,
    instead: "button click",
    example: "/** Answers the person who pressed a button. */",
    exceptions: [
      {
        files: /telegram/,
        reason: "Telegram's word: users press the buttons of an inline keyboard",
      },
    ],
  },
  {
    pattern: /\b\w*[tT]rouble[ds]?\b/,
    instead: "health problem; of a disk or a channel in tests, faulty",
    example: "const troubles = createChannelTroubles();",
  },
  {
    pattern:
      /\bleave(?:Run|Step|Unknown|Mark|Body|Rest)\w*|\bleave\(\)|\.leave\b|\bLeave(?!Out)[A-Z]\w*/,
    instead: "exit (a run), release (a permit)",
    example: "const leave = await leaveRun(run);",
  },
  {
    pattern:
      /\bsettle(?:[A-Z]\w*|\()|\b(?:const|let|function|async) settle\b|\bsettlers\b|\b(?:is|are|was|were|be) settled\b/,
    instead: "complete",
    example: "await settleNode(step);",
  },
  {
    pattern:
      /#?\bnote[A-Z]\w*(?=\()|\bnote\(|\.note\(|\bnoted\b|\bisNoted\b|\bNotedRequest\b|\bStartNotes\b|(?:\* |\/\/ )Notes (?:that|what|how|when|why|whether|the|one|each)\b/,
    instead: "record",
    example: "/** Notes that it ended. */",
  },
  {
    pattern:
      /\b\w*[a-z](?<![iI]n|[iI]nto|frees)Places?\b|\btype Place\b|: Place\b|\bplace(?:Step|Members|Fields)\b/,
    instead: "what it is: position, location, slot, path",
    example: "const { name } = findPlace(path);",
  },
  {
    pattern:
      /\b(?:create|Limited|compute|createCompute|Compute|check)Turns\b|\b(?:take|Network|Run|toEnd|runIn)Turn\b|\bcreateTurnLines\b|\b[tT]akes?\s+(?:\* )?turns\b|\bby turns\b|\bfor (?:its|their|one's) turn\b/,
    instead:
      "permit of a semaphore, lane, round; of owners, round-robin; of processes, one at a time",
    example: "/** The owners take turns. */",
  },
  {
    pattern: /\b\w*[rR]ehears\w*/,
    instead: "dry run",
    example: "const rehearsal = toDryRun(input);",
    exceptions: [
      {
        files: /^packages\/server\/src\/store\/migration-sources\.ts$/,
        reason: "the name of a migration, which databases have stored",
      },
    ],
  },
  {
    pattern:
      /(?:^|[-/])(?:outlook|strays?|troubled?|troubles|rehears\w*|settle|given|sight|press|room|turns?|leave-(?:run|step)|notes?)(?=[-.])/,
    isOfPath: true,
    instead: "the new word of the identifier",
    example: "packages/server/src/workflows/engine/settle-node.ts",
  },
];

/** Files that may have old words, with the reason. */
export const oldWordExceptions: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "It has the words of each release.",
  "scripts/old-words.ts": "This is the table itself.",
  "scripts/check-words.test.ts": "It tests old words.",
};
