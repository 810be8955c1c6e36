import type { Json } from "@hub/connector";
import { resolveQuestionAccount } from "../../connectors/accounts/resolve-account.ts";
import type { ConnectorCall, RegisteredConnector } from "../../connectors/connector-port.ts";
import { toTooLargeValue } from "../../lib/json/plain-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { admit } from "../admission/admit.ts";
import { type Admitted, type RowCall, toWorld, type World } from "../admission/call.ts";
import { LargeAnswer } from "../answers/large-answers.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import { limitGuesses } from "../calls/open-values.ts";
import { describeAccount } from "../calls/prepare-call.ts";
import { runInConnector } from "../calls/run-in-connector.ts";
import { findRowCall } from "../catalogue/find-operation.ts";
import { refuseAnswer } from "../masking/call-mask.ts";
import { toConnectorFailure } from "../masking/describe-failure.ts";
import { maskRowSecrets } from "../masking/mask-row.ts";
import type { RecordedFailure } from "../masking/seal-result.ts";
import type { CallContext } from "../operations.ts";
import { recordCall } from "../records/record-call.ts";
import type { Recording } from "../records/recording.ts";

/** Users wait for the answer on a settings page. A program that starts first has its time beside this. */
const timeoutMs = 30_000;

export type FoundRow = { world: World; call: Admitted<RowCall> };

export type Question<Answer> = {
  /** The name in error messages, such as "health check". */
  name: string;
  /** The operation key in the audit row. */
  key: string;
  request: Record<string, Json>;
  /** Throws if the caller may not ask this question about the row. */
  check(found: FoundRow): void;
  /** Of a sealed answer that says that something failed: what is recorded. */
  findFailure?(sealed: Json): RecordedFailure | null;
  ask(connector: RegisteredConnector, call: ConnectorCall, mask: Mask): Promise<Answer>;
};

/**
 * Calls a row's connector for something other than an operation: record( find → check → run ) →
 * seal.
 */
export async function askRow<Answer>(
  deps: ExecuteDeps,
  ctx: CallContext,
  rowId: string,
  question: Question<Answer>,
): Promise<Answer> {
  const { name, key: operationKey, request } = question;
  const description = { connectorId: rowId, rowLabel: null, operationKey, request };
  const present = question.findFailure && { findFailure: question.findFailure };
  const sealed = await recordCall(deps, ctx, description, answerQuestion, present);
  // Sealing only replaces texts, so the type stays the same.
  return sealed.value as Answer;

  async function answerQuestion(recording: Recording): Promise<Json> {
    const found = findAdmitted(deps, ctx, recording, rowId);
    question.check(found);
    await found.call.row.prepare?.();
    const { connector } = found.call;
    const { row, used } = await resolveQuestionAccount(deps, ctx.caller, found.call);
    found.call.row = row;
    maskRowSecrets(recording.mask, row);
    recording.describe({
      rowLabel: row.label,
      connectorKey: connector.key,
      ...(used !== null && { account: describeAccount(recording.mask, used) }),
    });
    const answer = await runInConnector(
      deps,
      { ctx, recording, row, connector },
      {
        name,
        timeoutMs: timeoutMs + (connector.startMs?.(row.config().values) ?? 0),
        prepare: async () =>
          limitGuesses(deps, ctx, recording, row, { operation: operationKey, params: request }),
        run: (call) =>
          question
            .ask(connector, call, recording.mask)
            .catch((thrown) => refuseUnfinished(found, thrown)),
      },
    );
    // A page needs the complete structure, so an answer that is too large is refused, not cut.
    if (answer instanceof LargeAnswer) throw toTooLargeValue();
    if (recording.callMask.hasTooManySecrets()) throw refuseAnswer();
    return answer;
  }
}

/**
 * A row may be asked before its required fields are set, and connectors read these without a check of their own. So a fault in
 * a connector's code is told as what is missing, if something is. Throws in any case.
 */
function refuseUnfinished({ world, call }: FoundRow, thrown: unknown): never {
  if (toConnectorFailure(thrown).code === "internal") admit(world, call, "start");
  throw thrown;
}

function findAdmitted(
  { registry, now }: ExecuteDeps,
  { caller }: CallContext,
  { directory }: Recording,
  rowId: string,
): FoundRow {
  const world = toWorld({ registry, now }, directory);
  const call = findRowCall({ registry, directory }, caller, rowId);
  admit(world, call, "visibility");
  admit(world, call, "access");
  return { world, call };
}
