/** What connectors are for. */
export const categories = [
  { value: "api", label: "APIs and MCP" },
  { value: "chat", label: "Chat" },
  { value: "code", label: "Code and tickets" },
  { value: "data", label: "Logs and data" },
  { value: "files", label: "Documents and mail" },
  { value: "hub", label: "This hub" },
  { value: "other", label: "Other" },
] as const;
export type Category = (typeof categories)[number]["value"];

export function readCategory(value: unknown): Category | undefined {
  return categories.find((one) => one.value === value)?.value;
}

export function nameCategory(category: Category): string {
  return categories.find(({ value }) => value === category)?.label ?? "Other";
}

/** Words of keys and of icons, which authors choose, with the category of each. */
const known: ReadonlyArray<readonly [category: Category, words: readonly string[]]> = [
  ["chat", ["slack", "telegram", "chat", "message", "discord", "teams", "send"]],
  ["code", ["git", "code", "bug", "ticket", "tracker", "jira", "issue", "branch"]],
  ["data", ["log", "database", "sql", "postgres", "metric", "grafana", "search", "chart"]],
  ["files", ["file", "mail", "calendar", "doc", "drive", "wiki", "note"]],
  ["hub", ["hub", "workflow"]],
  ["api", ["http", "openapi", "api", "mcp", "plug", "world", "globe"]],
];

/** The category of a connector, by its key and then by its icon. */
export function toCategory({ key, icon }: { key: string; icon: string }): Category {
  for (const text of [key, icon]) {
    const name = text.slice(0, 64).toLowerCase();
    const found = known.find(([, words]) => words.some((word) => name.includes(word)));
    if (found !== undefined) return found[0];
  }
  return "other";
}
