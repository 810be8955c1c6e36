import type { FoundServer } from "@hub/connector";
import { cutLine } from "../../lib/text/cut-line.ts";
import { operationsMax } from "./clean-discovery.ts";

/** How an outside system asks to be authenticated at. `mode` is the value of the row's field `auth_mode`. */
export type DescribedAuthentication = {
  /** The name of the scheme in the document. */
  name: string;
  mode: string;
  description: string;
  /** Values that the document suggests, by field key. An admin sees and confirms each. */
  suggested: Record<string, string>;
};

/** What an outside system says of itself, beside its operations. */
export type DescribedSystem = {
  title: string;
  version: string;
  description: string;
  servers: FoundServer[];
  authentications: DescribedAuthentication[];
  /** The tags of operations, by source name. */
  tags: ReadonlyArray<readonly [sourceName: string, tags: readonly string[]]>;
};

const titleCharsMax = 100;
const descriptionCharsMax = 300;
const tagCharsMax = 60;
const listedMax = 50;
const tagsMax = 5;
const valueCharsMax = 500;

/** Makes the texts safe to show, and limits their number and lengths. */
export function cleanSystem(found: DescribedSystem): DescribedSystem {
  return {
    title: cutLine(found.title, titleCharsMax),
    version: cutLine(found.version, tagCharsMax),
    description: cutLine(found.description, descriptionCharsMax),
    servers: found.servers.slice(0, listedMax),
    authentications: found.authentications.slice(0, listedMax).map((one) => ({
      name: cutLine(one.name, titleCharsMax),
      mode: one.mode,
      description: cutLine(one.description, descriptionCharsMax),
      suggested: Object.fromEntries(
        Object.entries(one.suggested).map(([key, value]) => [key, cutLine(value, valueCharsMax)]),
      ),
    })),
    // A document has more operations than a row, and their texts are read in one turn.
    tags: found.tags
      .slice(0, operationsMax)
      .map(([name, tags]) => [
        name,
        tags.slice(0, tagsMax).map((tag) => cutLine(tag, tagCharsMax)),
      ]),
  };
}
