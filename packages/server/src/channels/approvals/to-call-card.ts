import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { listDecidingValues } from "../../store/pending/call-summary.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import type { ApprovalCard, CardPart } from "../chat-adapter.ts";
import { cut, toLine, toLines, toValueLines } from "./card-texts.ts";

/** So that the longest card fits into one message of each platform. */
const titleBytesMax = 130;
const factBytesMax = 150;
const descriptionBytesMax = 400;
const valuesBytesMax = 700;
const paramsBytesMax = 1_200;
const valueCharsMax = 200;

export type CardCall = Pick<
  PendingCall,
  | "id"
  | "state"
  | "shown"
  | "principalName"
  | "origin"
  | "expiresAt"
  | "decidedAt"
  | "decidedByEmail"
  | "comment"
  | "endedReason"
> & {
  /** The e-mail of the user whose call it is. */
  user: string;
  /** How its run ended; null if it has not. */
  runStatus: string | null;
};

/** What a chat shows of a call that waits. Its params have neither secrets nor value tokens. */
export function toCallCard(id: string, call: CardCall, baseUrl: string | null): ApprovalCard {
  const { shown, origin } = call;
  const title = cut(toLine(`${shown.operationName} in ${shown.rowLabel}`), titleBytesMax);
  const outcome = describeOutcome(call);
  const values = toValueLines(listDecidingValues(shown.params, valueCharsMax), valuesBytesMax);
  const params = cut(escapeInvisible(JSON.stringify(shown.params)), paramsBytesMax);
  const description = cut(toLines(shown.description), descriptionBytesMax);
  const client = origin.client === null ? "" : `${origin.client.name} ${origin.client.version}`;
  const facts = [
    ["Asked by", call.user],
    ["Through", call.principalName],
    ["Client", client],
    ["Step", origin.step === undefined ? "" : describeStep(origin.step)],
    ["Account", shown.account ?? ""],
    ["Changes other systems", shown.isDestructive ? "yes" : ""],
    ["Rule", shown.rule === null ? "" : `${shown.rule.name} ${shown.rule.sentence}`],
    ["Expires at", toTimeText(call.expiresAt)],
  ] as const;
  const isCut = [title, values, params, description].some((text) => text.isCut);
  const comment = cut(toLines(call.comment ?? ""), factBytesMax).text;
  const parts: CardPart[] = [
    { kind: "facts", facts: facts.flatMap(toFact) },
    ...toQuote("What it does", description.text),
    ...toQuote("Values", values.text),
    ...toQuote("All params", params.text),
    ...toNote(shown.note),
    ...toNote(isCut ? "This is a part. Read all of it in the hub before you decide." : null),
    ...toNote(outcome),
    ...toQuote("Comment", comment),
  ];
  const heading = `Call: ${title.text}`;
  return {
    id,
    heading,
    parts,
    isOpen: outcome === null,
    summary: outcome === null ? heading : `${outcome} ${heading}`,
    url: baseUrl === null ? null : `${baseUrl}/approvals/calls/${call.id}`,
  };
}

function describeStep({ nodeId, item }: { nodeId: string; item: number }): string {
  return item < 0 ? nodeId : `${nodeId}, item ${item}`;
}

function toFact([name, value]: readonly [string, string]): (readonly [string, string])[] {
  const line = cut(toLine(value), factBytesMax).text;
  return line === "" ? [] : [[name, line]];
}

function toQuote(name: string, text: string): CardPart[] {
  return text === "" ? [] : [{ kind: "quote", name, text }];
}

function toNote(text: string | null): CardPart[] {
  return text === null ? [] : [{ kind: "note", text }];
}

function describeOutcome(call: CardCall): string | null {
  const at = call.decidedAt === null ? "" : ` at ${toTimeText(call.decidedAt)}`;
  const by = `by ${toLine(call.decidedByEmail ?? "")}${at}`;
  switch (call.state) {
    case "open":
      return null;
    case "approved":
      return `Approved ${by}. It has not run yet.`;
    case "running":
      return `Approved ${by}. It runs now.`;
    case "done":
      return `Approved ${by}. ${describeRun(call.runStatus)}`;
    case "unknown":
      return `Approved ${by}. The hub stopped while it ran, or could not store its outcome, so it is not known whether it took effect.`;
    case "denied":
      return `Denied ${by}.`;
    case "expired":
      return call.decidedAt === null
        ? `Expired at ${toTimeText(call.expiresAt)}. No approver decided in time.`
        : `Approved ${by}, and not used in time. Nothing has run.`;
    case "changed":
      return "The row, the operation or the rule has changed since. Nothing has run, and the client asks anew.";
    case "ended":
      return "The call has ended. There is nothing to decide any more.";
  }
}

function describeRun(status: string | null): string {
  if (status === "success") return "It has run.";
  return status === null ? "It has ended." : `It has run and ended as ${status}.`;
}
