import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { commandLineActor, localAdmin } from "../../identity/local-admin.ts";
import { openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../../secrets/at-rest/secret-locations.ts";
import { listChanges } from "../../store/changes-table.ts";
import { updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState, setTypeState } from "../../store/rows/switches.ts";
import { newUser, newWorkflow } from "../../store/test-data.ts";
import { insertUser, setUserTags } from "../../store/users/users-table.ts";
import { insertWorkflow } from "../../store/workflows/workflow-changes.ts";
import { listWorkflowSecrets, putWorkflowSecret } from "../../store/workflows/workflow-secrets.ts";
import { actAsUser, actOnWorkflows } from "./testing/act-on-workflows.ts";
import { openDefinitions } from "./testing/open-definitions.ts";

type Verbs = ReturnType<typeof actOnWorkflows>;
let hub: Awaited<ReturnType<typeof openDefinitions>>;
let annId: string;
/** An ordinary user with the tag `sales`. */
let ann: Verbs;

async function open(env: Record<string, string> = {}): Promise<void> {
  hub = await openDefinitions(env);
  const added = await hub.addUser("ann", { tags: ["sales"] });
  annId = added.id;
  ann = added.verbs;
}
beforeEach(() => open());
afterEach(() => hub.close());

const addUser = async (...given: Parameters<typeof hub.addUser>): Promise<Verbs> =>
  (await hub.addUser(...given)).verbs;

/** A body that a set node tells apart. */
const bodyOf = (value: string) => ({
  schema: 1,
  triggers: [{ id: "start", type: "manual", entry: "one" }],
  nodes: [{ id: "one", type: "set", value }],
  edges: [],
});
const brokenBody = { ...bodyOf("x"), nodes: [{ id: "one", type: "absent" }] };
const create = (name = "Daily report") => ann.create({ name, body: bodyOf("first") });

describe("a new workflow", () => {
  test("A new workflow has the name and six random characters as id, no tags, and a draft", async () => {
    const made = await create("  Täglicher Bericht #1 ");
    expect(made.id).toMatch(/^taglicher-bericht-1-[a-z2-9]{6}$/);
    expect(made).toMatchObject({
      name: "Täglicher Bericht #1",
      tags: [],
      enabled: true,
      version: 0,
      run_by: "tags",
      access: "manage",
      may_start: true,
      has_active_owner: true,
      pending_owner: null,
      owner: { id: annId, email: "ann@example.com" },
      draft: { revision: 1, is_published: false, saved_by: { email: "ann@example.com" } },
      body: bodyOf("first"),
      secrets: [],
    });
    expect((await create("日報")).id).toMatch(/^workflow-[a-z2-9]{6}$/);
    expect((await create("x".repeat(100))).id).toHaveLength(64);
  });

  test("Only admins choose an id, and none is given again after deletion", async () => {
    await expect(ann.create({ name: "A", id: "a" })).rejects.toThrow("chosen by admins only");
    const bob = await addUser("bob", { role: "admin" });
    await bob.create({ name: "A", id: "a" });
    await expect(bob.create({ name: "B", id: "a" })).rejects.toMatchObject({ code: "conflict" });
    await bob.delete("a");
    await expect(bob.create({ name: "B", id: "a" })).rejects.toMatchObject({ code: "conflict" });
    await expect(bob.create({ name: "B", id: "A/b" })).rejects.toThrow("lower-case letters");
  });

  test("With HUB_WORKFLOW_AUTHORS=admins, other users write no workflow", async () => {
    await hub.close();
    await open({ HUB_WORKFLOW_AUTHORS: "admins" });
    await expect(create()).rejects.toMatchObject({ code: "forbidden" });
    const bob = await addUser("bob", { role: "admin" });
    const { id, updated_at } = await bob.create({ name: "A", body: bodyOf("1") });
    const offered = await bob.offer(id, "ann@example.com");
    expect(offered.updated_at).not.toBe(updated_at);
    await expect(ann.accept(id, offered.updated_at)).rejects.toMatchObject({ code: "forbidden" });
  });

  test("The local admin names an owner and owns none", async () => {
    const local = actOnWorkflows(hub.deps, { caller: localAdmin, actor: commandLineActor });
    await expect(local.create({ name: "A" })).rejects.toThrow("cannot own a workflow");
    const made = await local.create({ name: "A", owner: annId });
    expect(made).toMatchObject({
      owner: { id: annId },
      draft: { saved_by: { email: "local-admin" } },
    });
    await expect(local.create({ name: "A", owner: localAdmin.userId })).rejects.toThrow(
      "active user",
    );
    await expect(ann.create({ name: "A", owner: annId })).rejects.toThrow("Leave it out");
  });

  test("A user owns at most 200 workflows", async () => {
    const { id } = await create();
    const { db } = hub.deps.store;
    for (let index = 1; index < 200; index += 1) {
      await insertWorkflow(db, newWorkflow(annId, { id: `other-${index}` }));
    }
    await expect(create()).rejects.toThrow("owns 200 workflows");
    const bob = await addUser("bob");
    const { id: offeredId } = await bob.create({ name: "Of Bob" });
    const offered = await bob.offer(offeredId, "ann@example.com");
    const accept = () => ann.accept(offeredId, offered.updated_at);
    await expect(accept()).rejects.toThrow("owns 200 workflows");
    await ann.delete(id);
    expect((await accept()).owner?.id).toBe(annId);
    await ann.delete(offeredId);
    await create();
  });

  test("A body beyond the limits, or of another kind, is not stored", async () => {
    const large = { nodes: ["x".repeat(1024 * 1024)] };
    await expect(ann.create({ name: "A", body: large })).rejects.toThrow("The maximum is 1 MiB");
    await expect(ann.create({ name: "A", body: [] })).rejects.toThrow("is a JSON object");
    let deep: unknown = {};
    for (let level = 0; level < 70; level += 1) deep = { deep };
    await expect(ann.create({ name: "A", body: deep })).rejects.toThrow("levels deep");
    expect(await ann.list()).toEqual([]);
  });
});

describe("drafts", () => {
  test("A saved draft has the next revision, also with errors", async () => {
    const { id } = await create();
    const saved = await ann.save(id, { revision: 1, body: brokenBody });
    expect(saved).toMatchObject({ draft: { revision: 2 }, body: brokenBody });
    expect(saved.problems.map(({ severity }) => severity)).toContain("error");
    expect(await ann.validate(id)).toMatchObject({ problems: saved.problems });
  });

  test("A save over a newer draft is refused with what changed and who changed it", async () => {
    const { id } = await create();
    const bob = await addUser("bob", { role: "admin" });
    await bob.save(id, { revision: 1, body: bodyOf("of Bob") });
    const saved = ann.save(id, { revision: 1, body: bodyOf("of Ann") });
    await expect(saved).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("bob@example.com has saved the draft"),
      detail: { revision: 2, saved_by: { email: "bob@example.com" } },
    });
    const { detail } = await saved.catch((failure) => failure);
    expect(JSON.stringify(detail.difference)).toContain("one");
    expect((await ann.show(id)).body).toEqual(bodyOf("of Bob"));
  });

  test("Of two saves at once over one revision, one is refused", async () => {
    const { id } = await create();
    const saves = await Promise.allSettled(
      ["a", "b"].map((value) => ann.save(id, { revision: 1, body: bodyOf(value) })),
    );
    expect(saves.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await ann.show(id)).draft?.revision).toBe(2);
  });
});

describe("versions", () => {
  test("A published draft becomes a version that can be shown, compared and restored", async () => {
    const { id } = await create();
    expect(await ann.publish(id, 1, "It begins")).toMatchObject({
      version: 1,
      draft: { is_published: true },
      opened: [],
    });
    await ann.save(id, { revision: 1, body: bodyOf("second") });
    await ann.publish(id, 2);
    expect(await ann.versions(id)).toMatchObject([
      { version: 2, note: "", is_published: true, is_draft: true },
      { version: 1, note: "It begins", is_published: false, is_draft: false },
    ]);
    expect(await ann.version(id, 1)).toMatchObject({
      version: 1,
      body: bodyOf("first"),
      published_by: { email: "ann@example.com" },
    });
    await expect(ann.version(id, 3)).rejects.toMatchObject({ code: "not_found" });
    const diff = await ann.diff(id, { from: "1", to: "draft" });
    expect(JSON.stringify(diff.difference)).toContain("one");
    await expect(ann.restore(id, 1, 1)).rejects.toMatchObject({ code: "conflict" });
    expect(await ann.restore(id, 1, 2)).toMatchObject({
      body: bodyOf("first"),
      draft: { revision: 3, is_published: false },
    });
    expect(await ann.publish(id, 3)).toMatchObject({ version: 3 });
  });

  test("A draft with errors, an unchanged draft and another revision are not published", async () => {
    const { id } = await create();
    await ann.save(id, { revision: 1, body: brokenBody });
    await expect(ann.publish(id, 2)).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("The draft has errors."),
      detail: { problems: [expect.objectContaining({ severity: "error" })] },
    });
    await ann.save(id, { revision: 2, body: bodyOf("second") });
    await expect(ann.publish(id, 2)).rejects.toMatchObject({ code: "conflict" });
    await ann.publish(id, 3);
    await expect(ann.publish(id, 3)).rejects.toThrow("published already, as version 1");
    expect(await ann.versions(id)).toHaveLength(1);
  });

  test("A draft that is saved while the draft before it is checked is not published", async () => {
    const rowId = await hub.addRow(["sales"]);
    const node = { id: "one", type: "operation", tool_id: `conn:${rowId}/read`, params: {} };
    const { id } = await ann.create({ name: "Late", body: { ...bodyOf("x"), nodes: [node] } });
    const { registry } = hub.deps;
    const late: typeof registry = {
      ...registry,
      async loadOperations(...given) {
        await ann.save(id, { revision: 1, body: brokenBody });
        return await registry.loadOperations(...given);
      },
    };
    const slow = await actAsUser({ ...hub.deps, registry: late }, annId);
    await expect(slow.publish(id, 1)).rejects.toMatchObject({ code: "conflict" });
    expect(await ann.versions(id)).toEqual([]);
  });

  test("A diff of a workflow that was never published is refused with a message", async () => {
    const { id } = await create();
    await expect(ann.diff(id)).rejects.toThrow("never published");
    await expect(ann.diff(id, { to: "0" })).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("rights", () => {
  let calls: { id: string; type: string; tool_id: string };
  let bob: Verbs;
  let id: string;

  beforeEach(async () => {
    const tool_id = `conn:${await hub.addRow(["sales"])}/read`;
    calls = { id: "one", type: "operation", tool_id };
    bob = await addUser("bob", { tags: ["sales", "hr"] });
    id = (await ann.create({ name: "Report", body: { ...bodyOf("x"), nodes: [calls] } })).id;
  });

  const hidden = { code: "not_found", message: "There is no such workflow." };
  const refused = { code: "forbidden" };
  /** Every verb on one workflow. */
  const listVerbs = (verbs: Verbs): Record<string, () => Promise<unknown>> => ({
    show: () => verbs.show(id),
    export: () => verbs.export(id),
    save: () => verbs.save(id, { revision: 1, body: bodyOf("y") }),
    validate: () => verbs.validate(id),
    publish: () => verbs.publish(id, 1),
    versions: () => verbs.versions(id),
    version: () => verbs.version(id, 1),
    restore: () => verbs.restore(id, 1, 1),
    diff: () => verbs.diff(id),
    change: () => verbs.change(id, { name: "x" }),
    enable: () => verbs.enable(id),
    disable: () => verbs.disable(id),
    setTags: () => verbs.setTags(id, { tags: [] }),
    opened: () => verbs.opened(id),
    offer: () => verbs.offer(id, "bob@example.com"),
    accept: () => verbs.accept(id, "2026-11-20T09:42:00Z"),
    endOffer: () => verbs.endOffer(id),
    secrets: () => verbs.secrets(id),
    setSecret: () => verbs.setSecret(id, "KEY", "value"),
    removeSecret: () => verbs.removeSecret(id, "KEY"),
    delete: () => verbs.delete(id),
  });

  test("To others, a workflow without a shared tag is the same as an absent one", async () => {
    for (const [verb, call] of Object.entries(listVerbs(bob))) {
      await expect([verb, await call().catch(({ code, message }) => ({ code, message }))]).toEqual([
        verb,
        hidden,
      ]);
    }
    expect(await bob.list()).toEqual([]);
    await expect(bob.show("absent")).rejects.toMatchObject(hidden);
  });

  test("Who shares a tag sees that it exists and may start it, and nothing else", async () => {
    await ann.setTags(id, { addTags: ["sales", "everyone"] });
    const eve = await addUser("eve");
    const shown = await eve.show(id);
    expect(shown).toMatchObject({
      id,
      access: "see",
      may_start: true,
      tags: ["everyone"],
      owner: null,
      draft: null,
      body: null,
      secrets: null,
      pending_owner: null,
    });
    expect(await bob.list()).toMatchObject([{ id, tags: ["everyone", "sales"] }]);
    for (const [verb, call] of Object.entries(listVerbs(bob))) {
      if (verb === "show") continue;
      expect([verb, await call().catch(({ code }) => ({ code }))]).toEqual([verb, refused]);
    }
    await ann.change(id, { runBy: "owner" });
    expect(await bob.show(id)).toMatchObject({ access: "see", may_start: false });
    expect(await ann.show(id)).toMatchObject({ may_start: true });
  });

  test("An admin may do everything but accept what is not offered to the admin", async () => {
    const carl = await addUser("carl", { role: "admin" });
    const allowed = listVerbs(carl);
    await allowed.publish?.();
    await allowed.setSecret?.();
    for (const [verb, call] of Object.entries(allowed)) {
      const { code } = Object(await call().catch((failure) => failure));
      expect([verb, code]).not.toContainAnyValues(["not_found", "forbidden"]);
    }
    await ann.create({ name: "Other" });
    await expect(
      carl.accept((await ann.list())[0]?.id ?? "", "2026-11-20T09:42:00Z"),
    ).rejects.toThrow("is not offered");
  });

  test("A user gives only tags that the user has, and an admin any", async () => {
    await expect(ann.setTags(id, { tags: ["hr"] })).rejects.toThrow("You do not have: hr");
    const carl = await addUser("carl", { role: "admin" });
    await carl.setTags(id, { tags: ["hr"] });
    expect(await ann.setTags(id, { addTags: ["sales"] })).toMatchObject({ tags: ["hr", "sales"] });
  });

  test("An operation, a workflow or a secret that the owner does not have stops the publication", async () => {
    const row = await hub.addRow(["hr"]);
    const problemsOf = async (node: Record<string, unknown>) => {
      const { draft } = await ann.show(id);
      const body = { ...bodyOf("x"), nodes: [{ id: "one", ...node }] };
      await ann.save(id, { revision: draft?.revision ?? 0, body });
      const published = ann.publish(id, (draft?.revision ?? 0) + 1);
      const { detail } = await published.catch((failure) => failure);
      return (detail?.problems ?? []).map(({ path }: { path: string }) => path);
    };
    const operation = (key: string, rowId = row) => ({
      type: "operation",
      tool_id: `conn:${rowId}/${key}`,
    });
    expect(await problemsOf(operation("read"))).toEqual(["/nodes/0/tool_id"]);
    expect(await problemsOf(operation("read", crypto.randomUUID()))).toEqual(["/nodes/0/tool_id"]);
    const own = calls.tool_id.replace("/read", "/widget");
    expect(await problemsOf({ type: "operation", tool_id: own })).toEqual(["/nodes/0/tool_id"]);
    expect(await problemsOf({ type: "set", value: "{{.Secret.KEY}}" })).toEqual(["/nodes/0/value"]);
    const other = await (await addUser("eve", { tags: ["hr"] })).create({ name: "Of Eve" });
    const call = { type: "workflow", workflow_id: other.id, payload: {} };
    expect(await problemsOf(call)).toEqual(["/nodes/0/workflow_id"]);
    await hub.setRowTags(row, ["sales"]);
    expect(await problemsOf(operation("read"))).toEqual([]);
  });

  test("The body of a service user is checked with what its owner may do at this moment", async () => {
    const row = await hub.addRow(["hr"]);
    const robot = newUser({ email: "robot@service.invalid", role: "admin", tags: ["hr", "sales"] });
    await insertUser(hub.db, { ...robot, service: { ownerId: annId } });
    const toNode = (id: string, tool_id: string) => ({ id, type: "operation", tool_id });
    const nodes = [toNode("hidden", `conn:${row}/read`), { ...calls, id: "seen" }];
    const body = { id: crypto.randomUUID(), text: JSON.stringify({ ...bodyOf("x"), nodes }) };
    const ofRobot = newWorkflow(robot.id, { body });
    await insertWorkflow(hub.db, ofRobot);
    const admin = await addUser("carl", { role: "admin" });
    const listPaths = async () =>
      (await admin.validate(ofRobot.id)).problems.flatMap(({ path }) =>
        path.endsWith("/tool_id") ? [path] : [],
      );
    expect(await listPaths()).toEqual(["/nodes/0/tool_id"]);
    await setUserTags(hub.db, annId, ["hr"], 1);
    expect(await listPaths()).toEqual(["/nodes/1/tool_id"]);
    expect(await admin.show(ofRobot.id)).toMatchObject({ has_active_owner: true });
    await hub.disableUser(annId);
    expect(await admin.show(ofRobot.id)).toMatchObject({ has_active_owner: false });
  });

  test("An unknown param stops the publication, and what an admin has disabled is a warning of it", async () => {
    const row = await hub.addRow(["sales"]);
    const publish = async (params: Record<string, unknown>) => {
      const { draft } = await ann.show(id);
      const node = { id: "one", type: "operation", tool_id: `conn:${row}/read`, params };
      const revision = draft?.revision ?? 0;
      await ann.save(id, { revision, body: { ...bodyOf("x"), nodes: [node] } });
      const { problems } = await ann
        .publish(id, revision + 1)
        .catch(({ detail }): { problems: WorkflowProblem[] } => detail);
      return problems.map(({ severity, path, message }) => `${severity} ${path} ${message}`);
    };
    expect(await publish({ what: 1 })).toEqual([
      'error /nodes/0/params/what The operation has no param "what".',
    ]);
    expect(await publish({})).toEqual([]);
    const { db } = hub.deps.store;
    const disabled = (what: string) => [
      `warning /nodes/0/tool_id An admin has disabled the ${what} of this node, so it fails.`,
    ];
    await setOperationState(db, row, "read", false, 1);
    expect(await publish({})).toEqual(disabled("operation"));
    await updateRow(db, row, { disabled: true }, 1);
    expect(await publish({})).toEqual(disabled("row"));
    await setTypeState(db, "tracker", true);
    expect(await publish({})).toEqual(disabled("connector"));
  });

  test("With HUB_WORKFLOW_HTTP=users, users who are no admins publish http nodes", async () => {
    const body = {
      ...bodyOf("x"),
      nodes: [{ id: "one", type: "http", url: "https://example.com" }],
    };
    const publish = async () => {
      const made = await ann.create({ name: "Fetch", body });
      return await ann.publish(made.id, 1);
    };
    await expect(publish()).rejects.toThrow("Only workflows of admins may have http nodes");
    await hub.close();
    await open({ HUB_WORKFLOW_HTTP: "users" });
    expect(await publish()).toMatchObject({ version: 1, problems: [] });
  });

  test("What a workflow opens to others is listed before and told at its publication", async () => {
    const opened = [{ node: "one", type: "operation", target: calls.tool_id }];
    expect(await ann.opened(id)).toEqual({ published: [], draft: opened });
    await ann.setTags(id, { tags: ["sales"] });
    expect((await ann.publish(id, 1)).opened).toEqual(opened);
    expect(await ann.opened(id)).toEqual({ published: opened, draft: opened });
  });

  test("A new owner reads the workflow, accepts it as it was read, and the former owner loses it", async () => {
    await ann.offer(id, "bob@example.com");
    const offered = await bob.show(id);
    expect(offered).toMatchObject({
      access: "accept",
      may_start: false,
      owner: { email: "ann@example.com" },
      pending_owner: { email: "bob@example.com" },
      draft: { revision: 1 },
    });
    expect(offered.body).toMatchObject({ nodes: [calls] });
    expect(await bob.list()).toHaveLength(1);
    await expect(bob.save(id, { revision: 1, body: {} })).rejects.toMatchObject(refused);
    await ann.save(id, { revision: 1, body: bodyOf("changed") });
    await expect(bob.accept(id, offered.updated_at)).rejects.toThrow("has changed since you read");
    const again = await bob.show(id);
    expect(await bob.accept(id, again.updated_at)).toMatchObject({
      access: "manage",
      owner: { email: "bob@example.com" },
      pending_owner: null,
    });
    for (const [verb, call] of Object.entries(listVerbs(ann))) {
      const failure = await call().catch(({ code, message }) => ({ code, message }));
      expect([verb, failure]).toEqual([verb, hidden]);
    }
    expect(await ann.list()).toEqual([]);
  });

  test("An offer ends when it is declined or withdrawn, and then gives no right", async () => {
    await ann.offer(id, "bob@example.com");
    expect(await bob.endOffer(id)).toMatchObject({ pending_owner: null });
    await expect(bob.show(id)).rejects.toMatchObject(hidden);
    const { updated_at } = await ann.offer(id, "bob@example.com");
    await ann.endOffer(id);
    await expect(bob.accept(id, updated_at)).rejects.toMatchObject(hidden);
    await expect(ann.endOffer(id)).rejects.toMatchObject({ code: "conflict" });
  });

  test("Only an active user other than the owner can be offered a workflow", async () => {
    await expect(ann.offer(id, "ann@example.com")).rejects.toMatchObject({ code: "conflict" });
    await expect(ann.offer(id, "nobody@example.com")).rejects.toMatchObject({
      code: "bad_request",
    });
    const { id: eveId } = await hub.addUser("eve");
    await hub.disableUser(eveId);
    await expect(ann.offer(id, "eve@example.com")).rejects.toMatchObject({ code: "bad_request" });
    const robot = newUser({ email: "robot@service.invalid" });
    await insertUser(hub.db, { ...robot, service: { ownerId: annId } });
    await expect(ann.offer(id, robot.email)).rejects.toThrow("is a service user");
  });

  test("A workflow of a disabled user says so, and an admin can take it over", async () => {
    await hub.disableUser(annId);
    const carl = await addUser("carl", { role: "admin" });
    expect(await carl.show(id)).toMatchObject({ has_active_owner: false });
    const { updated_at } = await carl.offer(id, "carl@example.com");
    expect(await carl.accept(id, updated_at)).toMatchObject({
      has_active_owner: true,
      owner: { email: "carl@example.com" },
    });
  });
});

describe("lists", () => {
  test("Users filter only by what they see", async () => {
    const bob = await addUser("bob", { tags: ["sales"] });
    const [first, second] = [await create("First"), await create("Second")];
    await ann.setTags(first.id, { tags: ["sales"] });
    const carl = await addUser("carl", { role: "admin" });
    await carl.setTags(first.id, { addTags: ["hr"] });
    const ids = async (filter: Parameters<Verbs["list"]>[0], verbs = bob) =>
      (await verbs.list(filter)).map(({ id }) => id);
    expect(await ids({})).toEqual([first.id]);
    expect(await ids({ tag: "sales" })).toEqual([first.id]);
    expect(await ids({ tag: "hr" })).toEqual([]);
    expect(await ids({ owner: annId })).toEqual([]);
    expect(await ids({ owner: annId }, ann)).toEqual([second.id, first.id]);
    expect(await ids({ owner: annId, tag: "hr" }, carl)).toEqual([first.id]);
    expect(await ids({ q: " seco " }, carl)).toEqual([second.id]);
    await ann.publish(second.id, 1);
    await ann.disable(first.id);
    expect(await ids({ state: "published" }, ann)).toEqual([second.id]);
    expect(await ids({ state: "draft" }, ann)).toEqual([first.id]);
    expect(await ids({ state: "disabled" }, ann)).toEqual([first.id]);
  });
});

async function readSecrets(id: string): Promise<Record<string, string>> {
  const ring = await hub.deps.ring.reload();
  const stored = await listWorkflowSecrets(hub.db, id);
  return Object.fromEntries(
    stored.map(({ name, sealed }) => [
      name,
      openAtRest(ring, toWorkflowSecretLocation(id, name), sealed),
    ]),
  );
}

describe("secrets", () => {
  const body = {
    ...bodyOf("{{.Secret.KEY}} {{basicAuth `a` .Secret.PASS}}"),
    triggers: [{ id: "hook", type: "webhook", entry: "one", secret_ref: "SIGN" }],
  };

  test("The names of set and needed secrets are listed, and no value comes back", async () => {
    const { id } = await ann.create({ name: "A", body });
    await ann.setSecret(id, "KEY", "s3cret-value");
    const listed = await ann.setSecret(id, "OLD", "s3cret-other");
    expect(listed.map(({ name, is_set, is_used }) => [name, is_set, is_used])).toEqual([
      ["KEY", true, true],
      ["OLD", true, false],
      ["PASS", false, true],
      ["SIGN", false, true],
    ]);
    expect((await ann.show(id)).secrets).toEqual(listed);
    expect(await readSecrets(id)).toEqual({ KEY: "s3cret-value", OLD: "s3cret-other" });
    await ann.setSecret(id, "KEY", "s3cret-new");
    expect((await readSecrets(id)).KEY).toBe("s3cret-new");
    await ann.removeSecret(id, "OLD");
    await expect(ann.removeSecret(id, "OLD")).rejects.toMatchObject({ code: "not_found" });
    const changes = await listChanges(hub.db, { limit: 1000 });
    expect(JSON.stringify([await ann.export(id), await ann.show(id), changes])).not.toContain(
      "s3cret",
    );
  });

  test("A workflow has at most 100 secrets, and each can still be replaced", async () => {
    const { id } = await ann.create({ name: "A", body });
    await ann.setSecret(id, "S0", "x");
    const { db } = hub.deps.store;
    const [secret] = await listWorkflowSecrets(db, id);
    if (secret === undefined) throw new Error("It has just been set.");
    for (let index = 1; index < 99; index += 1) {
      await putWorkflowSecret(db, id, { ...secret, name: `S${index}` });
    }
    await ann.setSecret(id, "S99", "x");
    await expect(ann.setSecret(id, "MORE", "x")).rejects.toThrow("100 secrets");
    await ann.setSecret(id, "S5", "y");
    await expect(ann.setSecret(id, "5S", "y")).rejects.toMatchObject({ code: "bad_request" });
    await expect(ann.setSecret(id, "S5", "")).rejects.toMatchObject({ code: "bad_request" });
  });

  test("An export has no secrets but names those that an import needs", async () => {
    const { id } = await ann.create({ name: "A", description: "Does A", runBy: "owner", body });
    await ann.setSecret(id, "KEY", "s3cret-value");
    const exported = await ann.export(id);
    expect(exported).toEqual({
      format: "hub-workflow",
      name: "A",
      description: "Does A",
      run_by: "owner",
      body,
      secrets: ["KEY", "PASS", "SIGN"],
    });
    const imported = await ann.import(exported);
    expect(imported).toMatchObject({ name: "A", description: "Does A", run_by: "owner", body });
    expect(imported.id).not.toBe(id);
    expect(imported.secrets?.every(({ is_set }) => !is_set)).toBe(true);
  });

  test("An export names the connectors of rows that its user sees, and an import refuses a row of other code", async () => {
    const [seen, hidden] = [await hub.addRow(["everyone"]), await hub.addRow(["secret"])];
    const nodes = [seen, hidden, crypto.randomUUID()].map((id, at) => ({
      id: `n${at}`,
      type: "operation",
      tool_id: `conn:${id}/read`,
    }));
    const { id } = await ann.create({ name: "A", body: { nodes } });
    const exported = await ann.export(id);
    expect(exported.rows).toEqual({ [seen]: { connector: "tracker", from: "built-in" } });
    const imported = await ann.import(exported);
    expect(imported.name).toBe("A");
    const other = { connector: "tracker", from: "plugin" as const };
    await expect(ann.import({ ...exported, rows: { [seen]: other } })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('The node "n0" calls a row of the plugin "tracker"'),
    });
    // A hidden row is like one that does not exist.
    await ann.import({ ...exported, rows: { [hidden]: other } });
  });
});

test("Every change of a workflow is recorded with its author", async () => {
  const { id } = await create();
  await ann.save(id, { revision: 1, body: bodyOf("2") });
  await ann.publish(id, 2, "Faster");
  await ann.save(id, { revision: 2, body: bodyOf("3") });
  await ann.restore(id, 1, 3);
  await ann.change(id, { name: "Sums", description: "x", runBy: "owner" });
  await ann.disable(id);
  await ann.enable(id);
  await ann.setTags(id, { tags: ["sales"] });
  await ann.setSecret(id, "KEY", "value");
  await ann.removeSecret(id, "KEY");
  await addUser("bob");
  await ann.offer(id, "bob@example.com");
  await ann.endOffer(id);
  await ann.delete(id);
  const changes = await listChanges(hub.db, { targetKind: "workflow", limit: 100 });
  expect(
    changes.every(({ actor, targetId }) => actor === "ann@example.com" && targetId === id),
  ).toBe(true);
  expect(changes.map(({ action, detail }) => [action, JSON.parse(detail)]).reverse()).toEqual([
    ["workflow.create", {}],
    ["workflow.save", { revision: 2 }],
    ["workflow.publish", { version: 1, note: "Faster" }],
    ["workflow.save", { revision: 3 }],
    ["workflow.restore", { version: 1, revision: 4 }],
    [
      "workflow.update",
      {
        name: { from: "Daily report", to: "Sums" },
        description: true,
        run_by: { from: "tags", to: "owner" },
      },
    ],
    ["workflow.disable", {}],
    ["workflow.enable", {}],
    ["workflow.update", { tags: { from: [], to: ["sales"] } }],
    ["workflow.set_secret", { secret: "KEY" }],
    ["workflow.remove_secret", { secret: "KEY" }],
    ["workflow.offer", { owner: "bob@example.com" }],
    ["workflow.end_offer", {}],
    ["workflow.delete", {}],
  ]);
});
