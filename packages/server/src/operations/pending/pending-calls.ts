import type { HubError } from "../../errors.ts";
import type { ComposedAnswer } from "../answers/composed-answer.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "../operations.ts";
import type { Recording, RunClaim } from "../records/recording.ts";

/** What a call may do: run with this claim, or answer what an equal call has returned. Null: no person is asked. */
export type Admission = { claim: RunClaim } | { answer: ComposedAnswer } | null;

/** How a claimed call ended: sealed in both cases. */
export type ClaimedEnd = { result: SealedResult } | { failure: HubError };

/** A pending call that has run. */
export type EndedCall = Pick<RunClaim, "callId" | "userId" | "runId">;

/** Calls that wait for a person. */
export type PendingCalls = {
  /**
   * The stored request of a pending call of the same principal, to be made again. `toolId` is what the repeat names beside
   * it: undefined for nothing, null for no operation that the caller sees. Throws `not_found` for any other id, and
   * `invalid_params` if the pending call is of another operation.
   */
  findRequest(
    ctx: Pick<CallContext, "caller" | "cause">,
    repeat: Pick<ExecuteRequest, "readsOnly"> & {
      pendingId: string;
      toolId?: string | null | undefined;
    },
  ): Promise<ExecuteRequest>;
  /**
   * Judges a call that is opened and valid. Null at once if no rule names it. Throws `approval_required`,
   * `still_running` or `refused_by_rule`.
   */
  admit(
    ctx: CallContext,
    recording: Recording,
    prepared: PreparedCall,
    sent: ExecuteRequest,
  ): Admission | Promise<Admission>;
  /** Why `admit` would ask people about a call, for people; null if it would not. Throws `refused_by_rule`. */
  preview(
    ctx: Pick<CallContext, "caller">,
    recording: Recording,
    prepared: Pick<PreparedCall, "target">,
  ): string | null;
  /**
   * Stores a call whose user must connect an account first, and throws its `needs_account`: it can run when the account is
   * connected. Throws `refused_by_rule` if it could not run then either.
   */
  askForAccount(
    ctx: CallContext,
    recording: Recording,
    prepared: PreparedCall,
    sent: ExecuteRequest,
  ): Promise<never>;
  /** Stores how a call ended that ran with a claim. The reply must not leave before this resolves. */
  finish(call: EndedCall, end: ClaimedEnd): Promise<void>;
};
