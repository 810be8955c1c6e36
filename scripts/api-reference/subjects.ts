/** The pages of the API's reference, and the nouns of addresses that each of them has. */
export type Subject = {
  /** The file in `docs/reference/api/`, without `.md`. */
  page: string;
  title: string;
  about: string;
  /** The beginnings of addresses, such as `/manager/api/rows`. */
  prefixes: readonly string[];
};

const inManager = (...nouns: string[]) => nouns.map((noun) => `/manager/api/${noun}`);
const inAdmin = (...nouns: string[]) => nouns.map((noun) => `/admin/api/${noun}`);

/** In the order of the index. Each address belongs to one subject. */
export const subjects: readonly Subject[] = [
  {
    page: "connector-endpoints",
    title: "Connectors, imports and search",
    about: "kinds of connectors, rows from the files of MCP clients, the search of the pages",
    prefixes: inManager("connectors", "imports", "search"),
  },
  {
    page: "row-endpoints",
    title: "Rows",
    about:
      "rows with their settings, secrets, operations, discovery, review and tests; what you can call",
    prefixes: inManager("rows", "rules", "operations", "connections"),
  },
  {
    page: "channel-endpoints",
    title: "Channels",
    about: "rows of chat connectors, and names on their platforms",
    prefixes: [...inManager("channels"), "/channels/"],
  },
  {
    page: "run-endpoints",
    title: "Recorded calls",
    about: "the record of calls: lists, counts, export, retry",
    prefixes: inManager("runs"),
  },
  {
    page: "plugin-endpoints",
    title: "Plugins",
    about: "the catalog, installation and updates",
    prefixes: inManager("plugins"),
  },
  {
    page: "workflow-endpoints",
    title: "Workflows and approvals",
    about:
      "drafts, versions, runs, secrets, webhooks, schedules, approvals, calls that wait for a person",
    prefixes: inManager(
      "workflows",
      "workflow-examples",
      "workflow-schedule",
      "approvals",
      "pending-calls",
      "waiting-decisions",
      "permits",
    ),
  },
  {
    page: "user-endpoints",
    title: "Users and their access",
    about: "users, groups, tags, tokens, sessions, applications and SCIM clients, for admins",
    prefixes: inAdmin(
      "users",
      "groups",
      "refused-sign-ins",
      "tags",
      "tokens",
      "sessions",
      "applications",
      "scim-clients",
    ),
  },
  {
    page: "machine-endpoints",
    title: "Service users and their clients",
    about: "users for programs, clients without a browser, trusted issuers, for admins",
    prefixes: inAdmin("service-users", "machine-clients", "trusted-issuers"),
  },
  {
    page: "server-endpoints",
    title: "The hub itself",
    about: "status, diagnosis, settings and the record of changes, for admins",
    prefixes: inAdmin("status", "doctor", "settings", "changes"),
  },
  {
    page: "secret-endpoints",
    title: "Secret managers",
    about: "secret managers, references to their secrets, and the fields that name them",
    prefixes: [
      ...inAdmin("secret-sources", "secret-references", "secret-destinations"),
      ...inManager("secret-references"),
    ],
  },
  {
    page: "account-endpoints",
    title: "Your own account",
    about:
      "what needs attention and the overview, and what each user has: tokens, sessions, applications, chat accounts, accounts in rows, own calls",
    prefixes: ["/profile/api/", ...inManager("accounts", "attention", "overview")],
  },
];

/** Throws if no subject has the address, so that a new one gets a page. */
export function findSubject(path: string): Subject {
  const found = subjects.find(({ prefixes }) =>
    prefixes.some((prefix) => path === prefix || path.startsWith(withSlash(prefix))),
  );
  if (found === undefined) {
    throw new Error(`${path} has no page. Add it to scripts/api-reference/subjects.ts.`);
  }
  return found;
}

function withSlash(prefix: string): string {
  return prefix.endsWith("/") ? prefix : `${prefix}/`;
}
