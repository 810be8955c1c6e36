import type { PendingState } from "../../../store/database/tables/pending-tables.ts";
import { pendingLimits } from "../pending-limits.ts";

/** What the model knows of the newest pending call of a principal and its params. */
export type ModelCall = {
  id: string;
  state: PendingState;
  basis: number;
  expiresAt: number;
  approvedUntil: number;
  decidedAt: number;
  resultAt: number;
};

/** What a call must be answered. */
export type Expected =
  | { kind: "run"; call: ModelCall }
  | { kind: "stored"; call: ModelCall }
  | { kind: "same question"; call: ModelCall }
  | { kind: "new question" }
  | { kind: "still running" }
  | { kind: "denied" }
  | { kind: "refused for an hour" };

/** The states of `asking.md`, as small as they can be said. Times are of the trial's clock. */
export class PendingModel {
  readonly calls = new Map<string, ModelCall>();
  readonly #denials = new Map<string, number[]>();
  basis = 0;

  /** The newest call of a key, if it still says something about a repeat. */
  find(key: string, at: number, isNamed = false): ModelCall | null {
    const call = this.calls.get(key);
    if (call === undefined) return null;
    const isSame = call.basis === this.basis;
    const isKept =
      call.state === "open"
        ? call.expiresAt > at && isSame
        : call.state === "approved"
          ? call.approvedUntil > at && isSame
          : call.state === "denied"
            ? call.decidedAt > at - pendingLimits.denialMs && (isSame || isNamed)
            : call.state === "done"
              ? call.resultAt > at - pendingLimits.resultMs && (isSame || isNamed)
              : call.state === "running";
    return isKept ? call : null;
  }

  expect(key: string, principal: string, at: number, isNamed = false): Expected {
    const call = this.find(key, at, isNamed);
    switch (call?.state) {
      case "approved":
        return { kind: "run", call };
      case "open":
        return { kind: "same question", call };
      case "running":
        return { kind: "still running" };
      case "denied":
        return { kind: "denied" };
      case "done":
        return { kind: "stored", call };
      default:
        return this.#isTired(principal, at)
          ? { kind: "refused for an hour" }
          : { kind: "new question" };
    }
  }

  /** A repeat ends a question that has changed or is late. */
  complete(key: string, at: number): void {
    const call = this.calls.get(key);
    const waits = call?.state === "open" || call?.state === "approved";
    if (call !== undefined && waits && this.find(key, at) === null) call.state = "changed";
  }

  ask(key: string, id: string, at: number): void {
    this.calls.set(key, {
      id,
      state: "open",
      basis: this.basis,
      expiresAt: at + pendingLimits.callerMs,
      approvedUntil: 0,
      decidedAt: 0,
      resultAt: 0,
    });
  }

  /** Whether the decision takes effect. A changed basis shows only when the call is to run. */
  decide(call: ModelCall, principal: string, state: "approved" | "denied", at: number): boolean {
    if (call.state !== "open" || call.expiresAt <= at) return false;
    call.state = state;
    call.decidedAt = at;
    call.approvedUntil = at + pendingLimits.approvedMs;
    if (state === "denied") {
      this.#denials.set(principal, [...(this.#denials.get(principal) ?? []), at].slice(-2));
    }
    return true;
  }

  #isTired(principal: string, at: number): boolean {
    const recent = (this.#denials.get(principal) ?? []).filter(
      (denied) => denied > at - pendingLimits.denialMs,
    );
    return recent.length >= pendingLimits.denials;
  }
}
