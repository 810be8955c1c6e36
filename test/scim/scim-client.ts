import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import {
  createScimClient,
  type NewScimClientInput,
} from "@hub/server/services/scim/manage-scim-clients.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import {
  type GroupLine,
  listGroupLines,
  replaceGroupLines,
} from "@hub/server/store/users/group-lines-table.ts";
import type { ApiHub } from "../api/open-api-hub.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test names the members that it expects
export type ScimAnswer = { status: number; headers: Headers; body: any };

export type ScimClient = Awaited<ReturnType<typeof openScimClient>>;

/** Makes a SCIM client, and sends its requests. */
export async function openScimClient(hub: ApiHub, input: NewScimClientInput) {
  const { id, name, token } = await createScimClient(hub.hub.services, commandLineActor, input);
  return { id, name, token, ...toSender(hub.url, token) };
}

/** Sends requests with a token. */
export function toSender(url: string, token: string) {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ScimAnswer> {
    const answer = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = text === "" ? null : JSON.parse(text);
    return { status: answer.status, headers: answer.headers, body: parsed };
  }
  return {
    send,
    patch: (path: string, ...operations: unknown[]) =>
      send("PATCH", path, {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: operations,
      }),
    /** Makes a user with this name, which is its e-mail. */
    async addUser(userName: string, more: Record<string, unknown> = {}): Promise<string> {
      const { status, body } = await send("POST", "/Users", { userName, active: true, ...more });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    async addGroup(displayName: string, members: string[] = []): Promise<string> {
      const { status, body } = await send("POST", "/Groups", {
        displayName,
        members: members.map((value) => ({ value })),
      });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    /** The ids of the members, sorted. */
    async listMembers(group: string): Promise<string[]> {
      const { body } = await send("GET", `/Groups/${group}`);
      return body.members.map(({ value }: { value: string }) => value).toSorted();
    },
  };
}

/** What groups give: each name its tags and its role. */
export async function setGroupLines(
  { store }: ApiHub,
  lines: Array<Pick<GroupLine, "pattern"> & Partial<GroupLine>>,
): Promise<void> {
  const { revision } = await listGroupLines(store.db);
  const all = lines.map((line) => ({
    id: crypto.randomUUID(),
    source: "any" as const,
    isPattern: false,
    tags: [],
    tagStart: null,
    role: "user" as const,
    adminByScim: false,
    ...line,
  }));
  await transaction(store.db, (trx) => replaceGroupLines(trx, all, revision));
}
