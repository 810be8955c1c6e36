import type { Timers } from "../../lib/time/timers.ts";
import {
  type ApprovalMessage,
  claimApprovalMessages,
} from "../../store/channels/approval-messages.ts";
import { askApprovers } from "./ask-approvers.ts";
import { askDeciders, remindDeciders } from "./ask-deciders.ts";
import { type SendDeps, sendApprovalMessage } from "./send-approval-message.ts";

/** Sends the questions about approvals and calls to chats, and changes them when these end. */
export type ApprovalAsker = {
  /** Looks now, such as after a decision. */
  wake(): void;
  stop(): Promise<void>;
};

type AskerDeps = Omit<SendDeps, "pauses" | "lanes"> & {
  timers: Timers;
  logFailure(err: unknown): void;
};

const tickMs = 1_000;
/** Messages that are being sent. A platform that hangs holds up others for the time of a call at most. */
const inFlightMax = 20;
const sendMsMax = 20_000;
/** Longer than a call. Then another server may take the message. */
const claimMs = 60_000;
const stopMsMax = 3_000;

/** Runs in each server: they share the messages. */
export function keepAsking(deps: AskerDeps): ApprovalAsker {
  const { db, timers } = deps;
  const sendDeps: SendDeps = { ...deps, pauses: new Map(), lanes: new Map() };
  const inFlight = new Set<Promise<void>>();
  const stopped = new AbortController();
  let looking: Promise<void> | null = null;
  let isWoken = false;
  let cancelTick = () => {};

  function send(message: ApprovalMessage): void {
    const timeout = new AbortController();
    const cancel = timers.after(sendMsMax, () =>
      timeout.abort(new Error("The platform did not answer in time.")),
    );
    const signal = AbortSignal.any([timeout.signal, stopped.signal]);
    const sending = sendApprovalMessage(sendDeps, message, signal)
      .catch(deps.logFailure)
      .finally(() => {
        cancel();
        inFlight.delete(sending);
        look();
      });
    inFlight.add(sending);
  }

  async function lookOnce(): Promise<void> {
    for (const ask of [askApprovers, askDeciders, remindDeciders]) {
      while ((await ask(deps)) > 0 && !stopped.signal.aborted);
    }
    for (const about of ["approval", "call"] as const) {
      const limit = inFlightMax - inFlight.size;
      if (limit === 0 || isStopping) return;
      const claimed = await claimApprovalMessages(db, { about, limit, claimMs });
      for (const message of claimed) send(message);
    }
  }

  let isStopping = false;

  function look(): void {
    if (isStopping) return;
    if (looking !== null) {
      isWoken = true;
      return;
    }
    cancelTick();
    isWoken = false;
    looking = lookOnce()
      .catch(deps.logFailure)
      .then(() => {
        looking = null;
        if (isStopping) return;
        if (isWoken) look();
        else cancelTick = timers.after(tickMs, look);
      });
  }

  look();
  return {
    wake: look,
    async stop() {
      isStopping = true;
      cancelTick();
      await looking;
      // A message that was sent but not recorded would be sent again.
      const cancel = timers.after(stopMsMax, () => stopped.abort());
      await Promise.all(inFlight);
      cancel();
    },
  };
}
