import type { Json } from "@hub/connector";

type JsonObject = { [name: string]: Json };

const titles = [
  "Login fails for accounts with a plus sign in the address",
  "Crash on start when the configuration has no section for the cache",
  "Document how to renew a certificate without downtime",
  "Bump the parser from 3.4.1 to 3.5.0",
  "Timeouts in the nightly import since last week",
];
const paragraph =
  "Since the upgrade on Monday the page answers with an error for about one request in twenty. " +
  "The log shows a timeout in the pool of connections, and a second attempt mostly succeeds. " +
  "Steps: open the list, filter by owner, go to page two and back again. ";

/** Creates items like the documented one, with realistic texts. */
export function varyItems(examples: readonly Json[], count: number): Json[] {
  return Array.from({ length: count }, (_, at) => {
    const example = examples[at % examples.length];
    if (example === undefined) throw new Error("There is no example to vary.");
    return vary(example, at) as Json;
  });
}

function vary(node: Json, at: number): Json {
  if (Array.isArray(node)) return node.map((each) => vary(each, at));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [name, varyMember(name, value, at)]);
  return Object.fromEntries(entries) as JsonObject;
}

function varyMember(name: string, value: Json, at: number): Json {
  if (name === "title" && typeof value === "string") return `${titles[at % titles.length]} (${at})`;
  // A report of one to three paragraphs.
  if (name === "body" && typeof value === "string") return paragraph.repeat(1 + (at % 3));
  if (name === "number" && typeof value === "number") return value + at;
  if (name === "id" && typeof value === "number") return value + at * 17;
  if (name === "sha" && typeof value === "string") {
    return new Bun.CryptoHasher("sha1").update(`${value}${at}`).digest("hex");
  }
  return vary(value, at);
}
