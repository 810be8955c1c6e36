import type { Entry } from "./client-definition.ts";

/** What an entry of a client's file connects to, as far as this program can tell. */
export type EntryTarget =
  | { kind: "stdio"; dataDir: string }
  | { kind: "http"; url: string; token: string | null }
  /** Another server. */
  | { kind: "other" };

/** The members that this program writes. Other members of an entry are the user's. */
const writtenMembers = new Set(
  "type command args cwd env environment url httpUrl headers http_headers oauth".split(" "),
);
const writtenVariables = ["HUB_DATA_DIR", "HUB_BASE_URL", "BUN_BE_BUN"];
/** Of these members, too, users may have added some. */
const writtenInner: Record<string, readonly string[]> = {
  env: writtenVariables,
  environment: writtenVariables,
  headers: ["Authorization"],
  http_headers: ["Authorization"],
};

export function readTarget(entry: unknown): EntryTarget {
  const members = toRecord(entry);
  const words = [members.command, members.args].flat();
  const variables = toRecord(members.env ?? members.environment);
  const dataDir = variables.HUB_DATA_DIR;
  const isServe = words.some((word, at) => word === "mcp" && words[at + 1] === "serve");
  if (isServe && typeof dataDir === "string") return { kind: "stdio", dataDir };
  const url = members.url ?? members.httpUrl;
  if (typeof url !== "string") return { kind: "other" };
  const header = toRecord(members.headers ?? members.http_headers).Authorization;
  const token = /^Bearer (hub_p[ab]t_\w+)$/.exec(String(header))?.[1] ?? null;
  return { kind: "http", url, token };
}

/** Adds what the user added to the old entry: other members, variables and headers. */
export function keepAdditions(entry: Entry, old: unknown): Entry {
  const kept = Object.entries(toRecord(old)).filter(([key]) => !writtenMembers.has(key));
  const own = Object.entries(entry).map(([key, value]) => {
    const written = writtenInner[key];
    if (written === undefined) return [key, value];
    const added = Object.entries(toRecord(toRecord(old)[key]));
    return [
      key,
      {
        ...toRecord(value),
        ...Object.fromEntries(added.filter(([name]) => !written.includes(name))),
      },
    ];
  });
  return Object.fromEntries([...own, ...kept]);
}

function toRecord(value: unknown): Record<string, unknown> {
  // A record of unknown values: every object is one.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
