import type { Caller } from "../../caller.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { findMatches } from "../../secrets/masks/find-secrets.ts";
import { partCharsMin } from "../../secrets/needles/needle-forms.ts";
import { type Needles, toNeedles } from "../../secrets/needles/needles.ts";
import { blankTokens } from "../../secrets/value-tokens/blank-tokens.ts";
import { containsToken } from "../../secrets/value-tokens/value-tokens.ts";
import type { Catalogue } from "../catalogue/tool-catalogue.ts";
import { dropHubTokens } from "../masking/hub-tokens.ts";
import { readSecrets } from "./read-secrets.ts";

/** Removes secrets from queries that leave the hub. */
export type QueryMask = {
  /**
   * The query without tokens and without secrets of the rows that the caller sees. Null if it must
   * not leave. Secrets of other rows stay, because their absence would show that they are secrets.
   */
  blank(catalogue: Catalogue, caller: Caller, query: string): Promise<string | null>;
};

/** A longer query does not leave. A cut could split a secret. */
const queryCharsMax = 1_000;
/** About 5 ms of work. */
const secretsPerPortion = 50;
const rowsPerPortion = 100;
/** The needles of a secret take about 7 KB. With more secrets, queries do not leave. */
const secretsMax = 10_000;

/** The secrets of rows with the same tags: a caller sees all of these rows or none. */
type Group = { row: Row; needles: Needles[]; short: ReadonlySet<string> };

/** `pause` is awaited between portions of the work. */
export function createQueryMask(
  { ring }: { ring: Pick<RingHolder, "current"> },
  pause: () => Promise<void>,
): QueryMask {
  let current: { of: Catalogue; groups: Promise<Group[] | null> } | null = null;

  /** A new catalogue has new rows, whose secrets are decrypted for its first query. */
  const findGroups = (catalogue: Catalogue): Promise<Group[] | null> => {
    if (current?.of === catalogue) return current.groups;
    const groups = toGroups(catalogue, pause);
    current = { of: catalogue, groups };
    return groups;
  };

  return {
    async blank(catalogue, caller, query) {
      if (query.length > queryCharsMax) return null;
      const groups = await findGroups(catalogue);
      if (groups === null) return null;
      let text: string | null = query;
      for (const group of groups) {
        if (!isVisible(caller, group.row)) continue;
        text = blankGroup(text, group);
        if (text === null) return null;
        await pause();
      }
      // A text stays a text.
      const plain = dropHubTokens(String(blankTokens(text)));
      return containsToken(ring.current(), plain) ? null : plain;
    },
  };
}

/** Null if the search for secrets exceeds its limit. */
function blankGroup(query: string, { needles, short }: Group): string | null {
  let text = query;
  for (const part of needles) {
    const matches = findMatches(text, part);
    if (matches === null) return null;
    for (const { start, end } of matches.toReversed()) {
      text = `${text.slice(0, start)} ${text.slice(end)}`;
    }
  }
  if (short.size === 0) return text;
  return text.replace(/\S+/g, (word) => (short.has(word.toLowerCase()) ? " " : word));
}

/** Null if there are too many secrets. */
async function toGroups(
  { allRows }: Catalogue,
  pause: () => Promise<void>,
): Promise<Group[] | null> {
  const groups: Group[] = [];
  let count = 0;
  let rowCount = 0;
  for (const rows of Map.groupBy(allRows, ({ tags }) =>
    JSON.stringify([...tags].sort()),
  ).values()) {
    const [row] = rows;
    if (row === undefined) continue;
    const short = new Set<string>();
    const needles: Needles[] = [];
    let portion = new Set<string>();
    const addPortion = async () => {
      if (portion.size === 0) return;
      needles.push(toQueryNeedles(portion));
      portion = new Set();
      await pause();
    };
    for (const each of rows) {
      rowCount += 1;
      if (rowCount % rowsPerPortion === 0) await pause();
      for (const text of readSecrets(each)) {
        count += 1;
        if (text.trim().length < partCharsMin) short.add(text.trim().toLowerCase());
        else portion.add(text);
      }
      if (count > secretsMax) return null;
      if (portion.size >= secretsPerPortion) await addPortion();
    }
    await addPortion();
    groups.push({ row, needles, short });
  }
  return groups;
}

function toQueryNeedles(texts: ReadonlySet<string>): Needles {
  return toNeedles([...texts].map((text) => ({ text, ignoreCase: true, ofRow: true })));
}
