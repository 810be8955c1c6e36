import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Operations, SealedResult } from "../operations/operations.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { Store } from "../store/open-store.ts";
import type { Actor } from "./actor.ts";
import { createChangeRecorder } from "./change-recorder.ts";
import { createChangeVerbs } from "./changes.ts";
import { examineHub } from "./doctor.ts";
import { type EncryptInput, encryptValue } from "./encrypt-value.ts";
import { makeFirstAdmin } from "./first-start.ts";
import { createKeyVerbs } from "./keys.ts";
import { createOperationVerbs } from "./operations.ts";
import { createPluginVerbs } from "./plugins.ts";
import { type RetryContext, readRunForm, retryRun } from "./retry-run.ts";
import { createRowVerbs } from "./rows.ts";
import { createRunVerbs } from "./runs.ts";
import { type TestContext, type TestInput, testRow } from "./test-row.ts";
import { createTokenVerbs } from "./tokens.ts";
import { createTypeVerbs } from "./types.ts";
import { createUserVerbs } from "./users.ts";

export type ManagerDeps = {
  store: Store;
  ring: RingHolder;
  registry: ConnectorRegistry;
  operations: Pick<Operations, "execute" | "test">;
  plugins: PluginHost;
  config: Config;
  now: () => number;
  /** Who acts: every change is recorded as theirs. */
  actor: Actor;
};

export type Manager = ReturnType<typeof createManager>;

/**
 * What admins do, as verbs grouped by noun: the command line, the API and the pages all call these.
 * They check what they are given, not who asks: that is for the door to do.
 */
export function createManager(given: ManagerDeps) {
  const deps = { ...given, changes: createChangeRecorder(given) };
  return {
    users: createUserVerbs(deps),
    tokens: createTokenVerbs(deps),
    rows: {
      ...createRowVerbs(deps),
      test: (ctx: TestContext, input: TestInput): Promise<SealedResult> =>
        testRow(deps, ctx, input),
    },
    operations: createOperationVerbs(deps),
    types: createTypeVerbs(deps),
    runs: {
      ...createRunVerbs(deps),
      retry: (ctx: RetryContext, id: string): Promise<SealedResult> => retryRun(deps, ctx, id),
      readForm: (id: string) => readRunForm(deps, id),
    },
    plugins: createPluginVerbs(deps),
    keys: createKeyVerbs(deps),
    changes: createChangeVerbs(deps),
    encrypt: (input: EncryptInput) => encryptValue(deps, input),
    doctor: (input?: { warnings?: readonly string[] }) => examineHub(deps, input),
    firstStart: () => makeFirstAdmin(deps),
  };
}
