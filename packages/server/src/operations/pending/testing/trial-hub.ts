import { defineConnector, toJsonText, wick } from "@hub/connector";
import type { Principal } from "../../../caller.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database/database.ts";
import { markUnknownCalls } from "../../../store/pending/end-pending-calls.ts";
import { putRowValues, setRowTags } from "../../../store/rows/rows-table.ts";
import { putRule } from "../../../store/rules/call-rules-table.ts";
import { newRule } from "../../../store/rules/testing/new-rule.ts";
import { insertInstance, removeInstances } from "../../../store/servers/instances.ts";
import type { Store } from "../../../store/store.ts";
import { newUser } from "../../../store/test-data.ts";
import { insertUser } from "../../../store/users/users-table.ts";
import {
  openTestOperations,
  openTestRing,
  testUserId,
  toTestCall,
} from "../../testing/open-test-operations.ts";

/** Where a server dies. */
export type Death =
  | "before the question"
  | "during the run"
  | "before the record"
  | "before the result";
export const deaths = [
  "before the question",
  "during the run",
  "before the record",
  "before the result",
] as const satisfies readonly Death[];

type Outcome = { ran: string } | { failed: HubError } | "dead";

export type TrialHub = Awaited<ReturnType<typeof openTrialHub>>;
export type TrialServer = TrialHub["servers"][number];

/** Two servers of one database with a row about whose calls a rule asks. They die where they are told. */
export async function openTrialHub(stores: readonly [Store, Store]) {
  const ring = await openTestRing();
  const { db } = stores[0];
  const clock = { at: 1_700_000_000_000 };
  /** The texts that ran, in order. */
  const runs: string[] = [];
  let dying: Death | null = null;
  let onDeath = () => {};
  let operationVersion = 0;
  let ruleRevision = 1;

  const die = (place: Death): Promise<never> | null => {
    if (dying !== place) return null;
    dying = null;
    onDeath();
    return new Promise<never>(() => {});
  };
  const makeConnector = () =>
    createLocalConnector(
      defineConnector({
        key: "trial",
        name: "Trial",
        icon: "box",
        tier: "builtin",
        description: "Acts.",
        config: { Place: wick("default=home") },
        operations: {
          act: {
            description: `Acts in version ${operationVersion}.`,
            destructive: true,
            input: { Text: wick("required") },
            async run({ params }) {
              runs.push(params.Text);
              await die("during the run");
              return { acted: params.Text };
            },
          },
        },
      }),
      () => ({}),
    );

  async function openServer(store: Store, index: number) {
    const instanceId = crypto.randomUUID();
    await insertInstance(db, {
      id: instanceId,
      kind: "serve",
      pid: index,
      hostname: "trial",
      startedAt: clock.at,
    });
    const mortal: Store = {
      ...store,
      runs: {
        ...store.runs,
        finish: (...ended) => die("before the record") ?? store.runs.finish(...ended),
      },
    };
    const hub = await openTestOperations(trialDefinition, {
      store: mortal,
      instanceId,
      baseUrl: "https://hub.example",
      now: () => clock.at,
      ring: {
        current: ring.current,
        reload: () => die("before the question") ?? die("before the result") ?? ring.reload(),
      },
    });
    hub.registry.replace(makeConnector());
    return { hub, instanceId };
  }

  await insertUser(db, newUser({ id: testUserId, email: "trial@example.com", tags: ["team"] }));
  const servers = [await openServer(stores[0], 0), await openServer(stores[1], 1)];
  const first = servers[0];
  if (first === undefined) throw new Error("There is no server");
  const rowId = await first.hub.addRow({ tags: ["team"], label: "Trial" });
  const toolId = `conn:${rowId}/act`;
  const setRule = () =>
    transaction(db, (trx) => putRule(trx, newRule({ id: "trial", rowId, revision: ruleRevision })));
  await setRule();

  async function call(
    server: (typeof servers)[number],
    principal: Principal,
    request: { text: string } | { pendingId: string },
    death: Death | null = null,
  ): Promise<Outcome> {
    const ctx = toTestCall(["team"], { caller: { principal } });
    const died = new Promise<"dead">((resolve) => {
      onDeath = () => resolve("dead");
    });
    const sent =
      "text" in request
        ? { toolId, params: { text: request.text } }
        : { toolId: "", params: {}, pendingId: request.pendingId };
    dying = death;
    const calling = server.hub.operations.calls.call(ctx, sent).then(
      ({ value }): Outcome => ({ ran: toJsonText(value) }),
      (thrown: unknown): Outcome => {
        if (thrown instanceof HubError) return { failed: thrown };
        throw thrown;
      },
    );
    try {
      return await Promise.race([calling, died]);
    } finally {
      dying = null;
    }
  }

  /** Closed at the end only: a server that has died does nothing more. */
  const dead: (typeof servers)[number][] = [];

  async function bury(server: (typeof servers)[number]): Promise<void> {
    await removeInstances(db, [server.instanceId]);
    await markUnknownCalls(db, clock.at);
    const index = servers.indexOf(server);
    const store = stores[index];
    if (store === undefined) throw new Error("There is no such server");
    dead.push(server);
    servers[index] = await openServer(store, index);
  }

  return {
    stores,
    db,
    toolId,
    ring,
    clock,
    runs,
    servers,
    call,
    bury,
    setVisible: (isVisible: boolean) => setRowTags(db, rowId, isVisible ? ["team"] : [], clock.at),
    async change(what: "row" | "rule" | "operation", version: number): Promise<void> {
      if (what === "row") {
        const place = { key: "place", value: `place ${version}`, sealed: null };
        await putRowValues(db, rowId, [place], clock.at);
        return;
      }
      if (what === "rule") {
        ruleRevision += 1;
        return await setRule();
      }
      operationVersion = version;
      for (const { hub } of servers) hub.registry.replace(makeConnector());
    },
    async close() {
      for (const { hub } of [...servers, ...dead]) await hub.close();
    },
  };
}

const trialDefinition = defineConnector({
  key: "trial",
  name: "Trial",
  icon: "box",
  tier: "builtin",
  description: "Acts.",
  config: { Place: wick("default=home") },
  operations: {},
});
