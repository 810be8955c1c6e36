import { HubError } from "../../errors.ts";
import {
  describeProvider,
  listResourceTypes,
  listSchemas,
} from "../../services/scim/discovery/schemas.ts";
import {
  createGroup,
  deleteGroup,
  loadGroup,
  modifyGroup,
  replaceGroup,
} from "../../services/scim/groups/change-group.ts";
import { findGroups, withMemberIds } from "../../services/scim/groups/find-groups.ts";
import {
  presentGroup,
  presentList,
  presentUser,
  project,
  type Resource,
  readProjection,
} from "../../services/scim/present.ts";
import type { ScimDeps, ScimRequester } from "../../services/scim/scim-deps.ts";
import { readPageQuery } from "../../services/scim/syntax/read-query.ts";
import { deleteUser, modifyUser, replaceUser } from "../../services/scim/users/change-user.ts";
import { createUser } from "../../services/scim/users/create-user.ts";
import { findUsers } from "../../services/scim/users/find-users.ts";
import { loadScimUser } from "../../services/scim/users/load-user.ts";
import { refuseAsUnsupported, scimContentType } from "./scim-failure.ts";

export type ScimRequest = {
  requester: ScimRequester;
  method: string;
  /** Below `/scim/v2`, with its first slash. */
  path: string;
  query: URLSearchParams;
  /** The address of `/scim/v2` for clients. */
  base: string;
  /** The parsed body; undefined without one. */
  body: unknown;
};

/** Takes the names of attributes that were sent and are not kept. */
type RecordIgnored = (names: readonly string[]) => void;
type Call = ScimRequest & { deps: ScimDeps; id: string; recordIgnored: RecordIgnored };
type Handler = (call: Call) => Promise<Response> | Response;
type Methods = Readonly<Record<string, Handler>>;

/** Every route of SCIM: a name, and what is below it. */
const routes: Readonly<Record<string, { all: Methods; one: Methods }>> = {
  users: {
    all: { GET: listUsers, POST: addUser },
    one: { GET: showUser, PUT: putUser, PATCH: patchUser, DELETE: removeUser },
  },
  groups: {
    all: { GET: listGroups, POST: addGroup },
    one: { GET: showGroup, PUT: putGroup, PATCH: patchGroup, DELETE: removeGroup },
  },
  serviceproviderconfig: {
    all: { GET: ({ base }) => answer(describeProvider(base)) },
    one: {},
  },
  schemas: {
    all: { GET: ({ base }) => answerAll(listSchemas(base)) },
    one: { GET: ({ base, id }) => answerOne(listSchemas(base), id) },
  },
  resourcetypes: {
    all: { GET: ({ base }) => answerAll(listResourceTypes(base)) },
    one: { GET: ({ base, id }) => answerOne(listResourceTypes(base), id) },
  },
};

const unsupported: ReadonlySet<string> = new Set(["me", "bulk", ".search"]);

/** Answers a request of a known client. */
export async function answerScim(
  deps: ScimDeps,
  request: ScimRequest,
  recordIgnored: RecordIgnored,
): Promise<Response> {
  const [, noun = "", id = "", ...more] = request.path.split("/");
  const name = noun.toLowerCase();
  if (unsupported.has(name) || id === ".search") return refuseAsUnsupported();
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined || more.some((part) => part !== "")) throw refuseAddress();
  const methods = id === "" ? route.all : route.one;
  const handle = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handle === undefined) {
    throw Object.keys(methods).length === 0 ? refuseAddress() : refuseMethod(Object.keys(methods));
  }
  return await handle({ ...request, deps, id: decode(id), recordIgnored });
}

async function listUsers({ deps, requester, query, base }: Call): Promise<Response> {
  const page = readPageQuery(query);
  const { items, total } = await findUsers(deps, requester, page);
  const projection = readProjection(query);
  const users = items.map((one) => project(presentUser(one, base), projection));
  return answer(presentList(users, { total, offset: page.offset }));
}

async function addUser({ deps, requester, body, base, recordIgnored }: Call): Promise<Response> {
  const { user, ignored } = await createUser(deps, requester, body);
  recordIgnored(ignored);
  return answerCreated(presentUser(user, base), `${base}/Users/${user.id}`);
}

async function showUser({ deps, requester, id, base, query }: Call): Promise<Response> {
  const user = await loadScimUser(deps.store.db, requester.client, id);
  return answer(project(presentUser(user, base), readProjection(query)));
}

async function putUser({ deps, requester, id, body, base, recordIgnored }: Call) {
  const { user, ignored } = await replaceUser(deps, requester, id, body);
  recordIgnored(ignored);
  return answer(presentUser(user, base));
}

async function patchUser({ deps, requester, id, body, base, recordIgnored }: Call) {
  const { user, ignored } = await modifyUser(deps, requester, id, body);
  recordIgnored(ignored);
  return answer(presentUser(user, base));
}

async function removeUser({ deps, requester, id }: Call): Promise<Response> {
  await deleteUser(deps, requester, id);
  return answerNothing();
}

async function listGroups({ deps, requester, query, base }: Call): Promise<Response> {
  const page = readPageQuery(query);
  const projection = readProjection(query);
  const { attributes, excluded } = projection;
  const asksMembers = attributes === null || attributes.some((one) => /^members\b/.test(one));
  const withMembers = asksMembers && !excluded.includes("members");
  const { items, total } = await findGroups(deps, requester, page, { withMembers });
  const groups = items.map((one) => project(presentGroup(one, base), projection));
  return answer(presentList(groups, { total, offset: page.offset }));
}

async function addGroup({ deps, requester, body, base, recordIgnored }: Call): Promise<Response> {
  const { group, ignored } = await createGroup(deps, requester, body);
  recordIgnored(ignored);
  const shown = await withMemberIds(deps.store.db, group);
  return answerCreated(presentGroup(shown, base), `${base}/Groups/${group.id}`);
}

async function showGroup({ deps, requester, id, base, query }: Call): Promise<Response> {
  const group = await loadGroup(deps.store.db, requester.client.id, id);
  const projection = readProjection(query);
  const shown = projection.excluded.includes("members")
    ? { ...group, memberIds: null }
    : await withMemberIds(deps.store.db, group);
  return answer(project(presentGroup(shown, base), projection));
}

async function putGroup({ deps, requester, id, body, base, recordIgnored }: Call) {
  const { group, ignored } = await replaceGroup(deps, requester, id, body);
  recordIgnored(ignored);
  return answer(presentGroup(await withMemberIds(deps.store.db, group), base));
}

/** 204: Microsoft Entra ID wants no members in the answer. */
async function patchGroup({ deps, requester, id, body, recordIgnored }: Call) {
  const { ignored } = await modifyGroup(deps, requester, id, body);
  recordIgnored(ignored);
  return answerNothing();
}

async function removeGroup({ deps, requester, id }: Call): Promise<Response> {
  await deleteGroup(deps, requester, id);
  return answerNothing();
}

function answer(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const all = { "content-type": scimContentType, ...headers };
  return new Response(JSON.stringify(value), { status, headers: all });
}

function answerCreated(resource: Resource, location: string): Response {
  return answer(resource, 201, { location });
}

function answerNothing(): Response {
  return new Response(null, { status: 204 });
}

function answerAll(resources: readonly Resource[]): Response {
  return answer(presentList(resources, { total: resources.length, offset: 0 }));
}

function answerOne(resources: readonly Resource[], id: string): Response {
  const found = resources.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found === undefined) throw refuseAddress();
  return answer(found);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuseAddress();
  }
}

function refuseAddress(): HubError {
  return new HubError("not_found", "There is no SCIM resource at this address.");
}

function refuseMethod(methods: readonly string[]): HubError {
  return new HubError("method_not_allowed", `Use ${methods.join(", ")} here.`);
}
