import { type Catalog, catalogEntrySchema } from "@hub/contract/plugin-catalog.ts";
import { issueWords } from "../../lib/input/issue-words.ts";
import { findJsonExcess } from "../../lib/json/scan-json.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";

/** What is wrong with a catalog: the end of a sentence about it. */
export class CatalogFault extends Error {
  override readonly name = "CatalogFault";
}

const depthMax = 32;
/** An entry has some 20 values. */
const valuesMax = 50_000;
/** An entry with ten platforms, addresses and hashes has 4 KiB. */
const entryCharsMax = 16 * 1024;
/** The event loop has a turn after each portion. */
const portionEntries = 100;

/**
 * Parses the text of a catalog. Attack: the schema of a list describes the faults of all its items, which takes seconds and
 * gigabytes for a million of them. So its size is limited, and it is checked entry by entry, up to the first fault.
 */
export async function parseCatalog(text: string): Promise<Catalog> {
  const list = parseList(text);
  const entries: Catalog = [];
  for (const [at, value] of list.entries()) {
    if (at % portionEntries === 0) await yieldToEventLoop();
    if (JSON.stringify(value).length > entryCharsMax) {
      throw new CatalogFault(`has an entry ${at} of more than ${entryCharsMax} characters`);
    }
    const parsed = catalogEntrySchema.safeParse(value, { error: issueWords });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new CatalogFault(
        `has an invalid entry: ${[at, ...(issue?.path ?? [])].join(".")} ${issue?.message}`,
      );
    }
    entries.push(parsed.data);
  }
  return entries;
}

function parseList(text: string): unknown[] {
  const excess = findJsonExcess(text, { depthMax, valuesMax });
  if (excess === "depth") throw new CatalogFault(`is nested deeper than ${depthMax} levels`);
  if (excess === "values") throw new CatalogFault(`has more than ${valuesMax} values`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CatalogFault("is not valid JSON", { cause });
  }
  if (Array.isArray(value)) return value;
  throw new CatalogFault("is not a list of plugins");
}
