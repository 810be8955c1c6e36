import type { Health, LookupItem } from "@hub/connector";
import type { Caller } from "../caller.ts";
import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Operations, SealedResult } from "../operations/operations.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { Store } from "../store/open-store.ts";
import { countTags } from "../store/tags.ts";
import type { Actor } from "./actor.ts";
import { createApplicationVerbs } from "./applications.ts";
import { createChangeRecorder } from "./change-recorder.ts";
import { createChangeVerbs } from "./changes.ts";
import {
  type DecryptForInput,
  type DecryptInput,
  decryptForUser,
  decryptValue,
} from "./decrypt-value.ts";
import { examineHub } from "./doctor.ts";
import { type EncryptInput, encryptValue } from "./encrypt-value.ts";
import { createIdentityVerbs } from "./identities.ts";
import { createKeyVerbs } from "./keys/keys.ts";
import { createOperationVerbs } from "./operations.ts";
import { createPluginVerbs } from "./plugins.ts";
import { createRowVerbs } from "./rows/rows.ts";
import { type TestContext, type TestInput, testRow, toCallContext } from "./rows/test-row.ts";
import { useWidget, type WidgetAnswer, type WidgetInput } from "./rows/use-widget.ts";
import { createVisibleRows } from "./rows/visible-rows.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { type RetryContext, readRunForm, retryRun } from "./runs/retry-run.ts";
import { createRunHistory, findShownRun } from "./runs/run-history.ts";
import { createRunVerbs } from "./runs/runs.ts";
import { type SummaryInput, summarizeRuns } from "./runs/summarize-runs.ts";
import { createSessionVerbs } from "./sessions.ts";
import { createSettingVerbs } from "./settings.ts";
import { createTokenVerbs } from "./tokens.ts";
import { createTypeVerbs } from "./types.ts";
import { createUserVerbs } from "./users.ts";

export type ManagerDeps = {
  store: Store;
  ring: RingHolder;
  registry: ConnectorRegistry;
  operations: Pick<Operations, "execute" | "test" | "checkHealth" | "lookUp" | "cancel">;
  plugins: PluginHost;
  config: Config;
  now: () => number;
  /** Who acts: every change is recorded as theirs. */
  actor: Actor;
};

type RowQuestion = { rowId: string; source: string; query: string };

export type Manager = ReturnType<typeof createManager>;

/**
 * What admins do, as verbs grouped by noun: the command line, the API and the pages all call these.
 * They check what they are given, not who asks: that is for the door to do.
 */
export function createManager(given: ManagerDeps) {
  const deps = { ...given, changes: createChangeRecorder(given) };
  const rows = createRowVerbs(deps);
  return {
    users: createUserVerbs(deps),
    tokens: createTokenVerbs(deps),
    applications: createApplicationVerbs(deps),
    rows: {
      ...rows,
      ...createVisibleRows(deps),
      test: (ctx: TestContext, input: TestInput): Promise<SealedResult> =>
        testRow(deps, ctx, input),
      /** Renders an html widget of the row's settings, or does what a click in it asks for. */
      useWidget(ctx: TestContext, input: WidgetInput): Promise<WidgetAnswer> {
        return useWidget({ ...deps, save: (id, change) => rows.set(id, change) }, ctx, input);
      },
      /** Asks whether the row's configuration works. */
      checkHealth: (ctx: TestContext, row: string): Promise<Health> =>
        deps.operations.checkHealth(toCallContext(ctx), row),
      /** What a picker of the row's settings offers for what was typed. */
      lookUp: (ctx: TestContext, question: RowQuestion): Promise<LookupItem[]> =>
        deps.operations.lookUp(toCallContext(ctx), question),
    },
    operations: createOperationVerbs(deps),
    types: createTypeVerbs(deps),
    runs: {
      ...createRunVerbs(deps),
      ...createRunHistory(deps),
      summarize: (input: SummaryInput) => summarizeRuns(deps, input),
      cancel: (caller: Caller, id: string) => cancelRun(deps, caller, id),
      async retry(ctx: RetryContext, id: string): Promise<SealedResult> {
        // First: of a run that its caller may not see, not even whose it is may be told.
        await findShownRun(deps.store.db, ctx.caller, id);
        return await retryRun(deps, ctx, id);
      },
      readForm: (id: string) => readRunForm(deps, id),
    },
    plugins: createPluginVerbs(deps),
    keys: createKeyVerbs(deps),
    changes: createChangeVerbs(deps),
    sessions: createSessionVerbs(deps),
    identities: createIdentityVerbs(deps),
    tags: { list: () => countTags(deps.store.db) },
    settings: createSettingVerbs(deps),
    encrypt: (input: EncryptInput) => encryptValue(deps, input),
    decrypt: (input: DecryptInput) => decryptValue(deps, input),
    decryptFor: (input: DecryptForInput) => decryptForUser(deps, input),
    doctor: (input?: { warnings?: readonly string[] }) => examineHub(deps, input),
  };
}
