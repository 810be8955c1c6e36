/**
 * Protects: each route of the API allows only the callers in the access table; a user who sees a row
 * cannot change it (trap 10). Every route gets a request of every role. A route without an entry fails.
 *
 * `.ci/run` sends every route a request of every role from a browser, with a token of the scope `manage` for one role that is
 * allowed and one that is refused, and with each other kind of token for one role that a browser would allow. Of the forged
 * CSRF tokens and of the invalid credentials it sends some. The choice moves on with each route, so that over all routes
 * each kind of token has each role, and each invalid credential is sent. `.ci/nightly` sends all of them to every route.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import {
  createScimClient,
  listScimClients,
  removeScimClient,
} from "@hub/server/services/scim/manage-scim-clients.ts";
import { insertChatAccount } from "@hub/server/store/channels/chat-accounts-table.ts";
import { updateRow } from "@hub/server/store/rows/rows-table.ts";
import {
  insertTestPendingCall,
  insertTestPermit,
} from "@hub/server/store/testing/new-pending-call.ts";
import {
  type AccessFixture,
  type AccessRow,
  accessTable,
  type RequestParts,
  type Role,
  roles,
  type TokenKind,
  tokenKinds,
} from "./access-table.ts";
import {
  addApproval,
  addScheduledRun,
  addWorkflow,
  deleteWorkflowsOf,
  startWorkflowRun,
} from "./add-workflow.ts";
import { type ApiHub, apiPaths, type Credentials, openApiHub } from "./open-api-hub.ts";

let hub: ApiHub;
let fixture: AccessFixture;
/** The same for requests that change nothing, which share one target of each kind. */
let reading: AccessFixture;
/** The workflows of those targets. */
const kept = new Set<string>();
/** The credentials of each user: a token with the scope `manage`. */
const manageTokens: Record<string, Credentials> = {};
const tokens: Record<TokenKind, Record<string, Credentials>> = {
  "scope mcp": {},
  "scope manage": manageTokens,
  "of an application": {},
  "bound token": {},
  "service user": {},
};
const ids: Record<string, string> = {};

beforeAll(async () => {
  hub = await openApiHub();
  const users = {
    pending: await hub.addUser("pending@example.com", { tags: ["red"], status: "pending" }),
    disabled: await hub.addUser("disabled@example.com", { tags: ["red"], status: "disabled" }),
    outsider: await hub.addUser("outsider@example.com", { tags: ["blue"] }),
    insider: await hub.addUser("insider@example.com", { tags: ["red"] }),
    owner: await hub.addUser("owner@example.com", { tags: ["red"] }),
    admin: await hub.addUser("admin@example.com", { admin: true }),
    heir: await hub.addUser("heir@example.com"),
    asker: await hub.addUser("asker@example.com", { tags: ["red"] }),
  };
  for (const [name, { headers, user }] of Object.entries(users)) {
    manageTokens[name] = headers;
    ids[name] = user.id;
    if (!roles.some((role) => role === name)) continue;
    tokens["scope mcp"][name] = await hub.addToken(user.email, "mcp");
    tokens["of an application"][name] = await hub.addApplicationToken(user.id);
    tokens["bound token"][name] = await hub.addBoundToken(user.id);
    tokens["service user"][name] = await hub.addServiceToken(user);
  }
  let rows = 0;
  let workflows = 0;
  /** Whose call it is: the hub's job ends what a user, a token or a row that does not exist has asked for. */
  const ask = async (name: "owner" | "asker") => {
    const { user, tokenId } = users[name];
    const { id: rowId } = await fixture.addRow();
    return { userId: user.id, principal: `token:${tokenId}`, rowId };
  };
  fixture = {
    hub,
    addRow: () => hub.addRow(`Row ${++rows}`, ["red"]),
    addChannel: async () => {
      const { id } = await hub.addRow(`Row ${++rows}`, ["red"]);
      await updateRow(hub.store.db, id, { slug: id }, 1);
      return id;
    },
    addToken: async () => {
      const { email } = users.owner.user;
      return (await hub.admin.tokens.create({ user: email, name: "spare" })).id;
    },
    addSession: async () => (await hub.addSession(users.owner.user.id)).id,
    addChatAccount: async (userId = users.owner.user.id) => {
      const id = crypto.randomUUID();
      const account = { kind: "slack", teamId: "T1", accountId: id };
      const names = { accountName: null, teamName: null };
      await insertChatAccount(hub.store.db, {
        id,
        userId,
        ...account,
        ...names,
        createdAt: 1,
        rowId: null,
      });
      return id;
    },
    addApplication: () => hub.addApplication(users.owner.user.id),
    async addScimClient() {
      const name = crypto.randomUUID();
      // The hub has at most 50 of them.
      for (const { id } of await listScimClients(hub.hub.services)) {
        await removeScimClient(hub.hub.services, commandLineActor, id);
      }
      return (await createScimClient(hub.hub.services, commandLineActor, { name })).id;
    },
    addWorkflowRun: async () => {
      const { id } = await fixture.addWorkflow({ isPlain: true });
      return await startWorkflowRun(hub, users.owner.user.id, id);
    },
    addWorkflow: async ({ isOffered = false, isPlain = false } = {}) => {
      const { id: ownerId } = users.owner.user;
      workflows += 1;
      // A user owns 200 workflows at most.
      if (workflows % 150 === 0) await deleteWorkflowsOf(hub, ownerId, kept);
      const offeredTo = isOffered ? users.heir.user.email : null;
      return await addWorkflow(hub, ownerId, { tags: ["red"], offeredTo, isPlain });
    },
    addApproval: async () => {
      const { id } = await fixture.addWorkflow({ isPlain: true });
      return await addApproval(hub, id, users.owner.user.id, ["red"]);
    },
    addPendingCall: async () => {
      const call = await insertTestPendingCall(hub.store.db, {
        ...(await ask("asker")),
        decider: { kind: "tags", tags: ["red"] },
        createdAt: Date.now(),
      });
      return call.id;
    },
    addPermit: async () => {
      const asked = await ask("owner");
      return (await insertTestPermit(hub.store.db, { ...asked, createdAt: Date.now() })).id;
    },
    addScheduledRun: async () => {
      const { id } = await fixture.addWorkflow({ isPlain: true });
      return await addScheduledRun(hub, id);
    },
    addRun: async () => {
      const { id } = await fixture.addRow();
      return await hub.greet(users.owner, id);
    },
  };
  reading = {
    ...fixture,
    addRow: keepFirst(fixture.addRow),
    addChannel: keepFirst(fixture.addChannel),
    addRun: keepFirst(fixture.addRun),
    addWorkflow: keepFirst(async () => {
      const made = await fixture.addWorkflow();
      kept.add(made.id);
      return made;
    }),
    addWorkflowRun: keepFirst(async () => {
      const made = await fixture.addWorkflowRun();
      kept.add(made.workflow);
      return made;
    }),
  };
});
afterAll(() => hub[Symbol.asyncDispose]());

const names = apiRoutes.map(({ method, path }) => `${method} ${path}`);

test("The MCP endpoint accepts every token that the access table uses", async () => {
  const statuses = tokenKinds.flatMap((kind) =>
    roles.map(async (role) => {
      const body = { jsonrpc: "2.0", id: 1, method: "ping" };
      const headers = tokens[kind][role] ?? {};
      return (await hub.request("POST", "/mcp", { headers, body })).status;
    }),
  );
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
});

test("The access table lists exactly the routes of the API", () => {
  expect(names.toSorted()).toEqual(Object.keys(accessTable).toSorted());
});

/** The browser of each user, kept until a change of sessions or passwords, which may have ended it. */
const browsers = new Map<string, Promise<Credentials>>();

function findBrowser(user: string, name = "browser"): Promise<Credentials> {
  const key = `${name} of ${user}`;
  const known = browsers.get(key) ?? hub.openBrowser(ids[user] ?? "");
  browsers.set(key, known);
  return known;
}

function toPath(path: string, { params = {}, query = {} }: RequestParts): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function keepFirst<T>(make: () => Promise<T>): () => Promise<T> {
  let first: Promise<T> | undefined;
  return () => {
    first ??= make();
    return first;
  };
}

/** The element of a list at this place, counted from its front again after the last one. */
function pickOne<T>(list: readonly T[], at: number): T[] {
  return list.slice(at % list.length, (at % list.length) + 1);
}

type TokenCase = readonly [kind: TokenKind, role: Role];

/** The tokens that the route gets. A missing check of the kind shows with a role that would be allowed. */
function chooseTokens({ expected, byToken }: AccessRow, at: number): readonly TokenCase[] {
  const all = tokenKinds.flatMap((kind) => roles.map((role): TokenCase => [kind, role]));
  if (isWholeAmount) return all;
  const allowed = roles.filter((role) => expected[role] < 300);
  const refused = roles.filter((role) => expected[role] >= 300);
  // Where all are refused, such as for an absent target, those whose role is not the reason.
  const known = refused.filter((role) => expected[role] !== 403);
  const [strong = roles] = [allowed, known].filter((list) => list.length > 0);
  return tokenKinds.flatMap((kind, nth) => {
    const chosen = pickOne(strong, at + nth);
    const others = refused.filter((role) => !chosen.includes(role));
    if (byToken[kind] === "as a browser") chosen.push(...pickOne(others, at));
    return chosen.map((role): TokenCase => [kind, role]);
  });
}

const cases = apiRoutes.map((route, at) => {
  const name = `${route.method} ${route.path}`;
  const row = accessTable[name];
  if (row === undefined) throw new Error(`Add ${name} to access-table.ts.`);
  return { ...route, name, row, at, tokenCases: chooseTokens(row, at) };
});

test("Over all routes, each kind of token is tried with each role", () => {
  const tried = cases.flatMap(({ tokenCases }) => tokenCases.map((one) => one.join(", ")));
  expect(new Set(tried).size).toBe(tokenKinds.length * roles.length);
});

describe.each(cases.map((one) => [one.name, one] as const))("%s", (_name, {
  method,
  path,
  row,
  at,
  tokenCases,
}) => {
  let prepared: RequestParts | null = null;

  /** The target of a request. It is made anew after a change has succeeded, since some delete it. */
  async function prepare(): Promise<RequestParts> {
    prepared ??= await row.toRequest(method === "GET" ? reading : fixture);
    return prepared;
  }

  async function send(parts: RequestParts, headers: Credentials) {
    const given = { headers, body: parts.body };
    const answer = await hub.request(method, toPath(path, parts), given);
    if (method !== "GET" && answer.status < 300) {
      prepared = null;
      if (/session|password/.test(path)) browsers.clear();
    }
    return answer;
  }

  // The tests of refusals are first, because they leave the target for the next test.
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param);

  test("A request has every parameter of the path", async () => {
    expect(params).toEqual(Object.keys((await prepare()).params ?? {}));
  });

  for (const param of params) {
    // A misspelt field is an invalid value of an existing row.
    if (param === "field") continue;
    test(`A {${param}} that does not exist gets 404 not_found, which is documented`, async () => {
      const request = await prepare();
      const others = { ...request.params, [param]: crypto.randomUUID() };
      const { status, body } = await send(
        { ...request, params: others },
        await findBrowser("admin"),
      );
      expect([status, body.code]).toEqual([404, "not_found"]);
      const documented = Object(apiPaths[path])[method.toLowerCase()].responses;
      expect(documented["404"]?.description).toContain("not_found");
    });
  }

  test("An unknown query parameter is refused", async () => {
    const request = await prepare();
    const query = { ...request.query, misspelt: "1" };
    const { status, body } = await send({ ...request, query }, await findBrowser("admin"));
    expect([status, body.code, body.error]).toEqual([
      400,
      "bad_request",
      expect.stringContaining("misspelt"),
    ]);
  });

  test("Anonymous, pending and disabled users and invalid credentials get 401", async () => {
    const request = await prepare();
    const invalid: Credentials[] = [
      { authorization: `Bearer hub_pat_${"0".repeat(32)}` },
      { authorization: "Basic YWRhOmFkYQ==" },
      { cookie: "hub_session=" },
      { cookie: `hub_session=${"A".repeat(43)}` },
    ];
    const withoutAccess = await Promise.all(
      ["pending", "disabled"].map(async (name) => [
        manageTokens[name] ?? {},
        await findBrowser(name),
      ]),
    ).then((found) => found.flat());
    const unauthorized: Credentials[] = isWholeAmount
      ? [{}, ...invalid, ...withoutAccess]
      : [{}, ...pickOne(invalid, at), ...pickOne(withoutAccess, at)];
    for (const headers of unauthorized) {
      const answer = await send(request, headers);
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"]);
    }
  });

  if (method !== "GET") {
    test("A browser's change needs the CSRF token of its own session", async () => {
      const request = await prepare();
      const { cookie = "" } = await findBrowser("admin");
      const other = await findBrowser("admin", "another browser");
      const forged: Credentials[] = [
        { cookie },
        { cookie, "x-csrf-token": "" },
        { cookie, "x-csrf-token": other["x-csrf-token"] ?? "" },
      ];
      const sent = isWholeAmount ? forged : pickOne(forged, at);
      const answers: unknown[] = [];
      for (const headers of sent) {
        const { status, body } = await send(request, headers);
        answers.push([status, body.code]);
      }
      expect(sent.length).toBeGreaterThan(0);
      expect(answers).toEqual(sent.map(() => [403, "forbidden"]));
    });
  }

  test.each([
    ...tokenCases,
  ])("A token gets the status of the access table: %s, %s", async (kind, role) => {
    const { status, body } = await send(await prepare(), tokens[kind][role] ?? {});
    const given = row.byToken[kind];
    const expected = given === "as a browser" ? row.expected[role] : given;
    expect([kind, role, status, body]).toEqual([kind, role, expected, body]);
    const code = {
      "scope mcp": "insufficient_scope",
      "of an application": "forbidden",
      "bound token": "insufficient_scope",
      "service user": "insufficient_scope",
    };
    if (kind !== "scope manage") expect(body.code).toBe(code[kind]);
  });

  test.each([
    ...roles,
  ])("A signed-in browser gets the status of the access table: %s", async (role) => {
    const { cookie = "", ...csrf } = await findBrowser(role);
    // A request that changes nothing needs no CSRF token.
    const headers = method === "GET" ? { cookie } : { cookie, ...csrf };
    const { status, body } = await send(await prepare(), headers);
    expect([role, status, body]).toEqual([role, row.expected[role], body]);
    const documented = Object(apiPaths[path])[method.toLowerCase()].responses;
    expect(Object.keys(documented)).toContain(String(status));
  });
});
