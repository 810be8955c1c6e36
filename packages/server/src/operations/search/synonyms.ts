import { toStem } from "./word-forms.ts";

/**
 * Words that systems use for the same thing: one calls it an issue, another a ticket. A word in two groups has the
 * synonyms of both. Words that mean something else in many places, such as "order", are in none.
 */
const groups = [
  "issue ticket bug defect",
  "alert alarm notify notification",
  "vulnerability weakness cve advisory",
  "repository repo",
  "remove delete erase discard",
  "create add insert",
  "change edit update modify",
  "find search lookup query",
  "start launch begin",
  "stop halt terminate",
  "rename retitle",
  "show display view",
  "machine server instance vm droplet",
  "container pod workload",
  "cpu processor",
  "memory ram",
  "picture image photo",
  "movie film video",
  "meeting appointment event",
  "calendar diary schedule agenda",
  "customer client buyer",
  "bill invoice",
  "refund reimburse",
  "chargeback dispute",
  "discount coupon rebate",
  "employee staff worker",
  "folder directory",
  "file document",
  "mail email message letter",
  "phone telephone call",
  "sms text",
  "chat conversation thread",
  "post article",
  "comment remark reply",
  "todo task reminder",
  "goal objective aim",
  "job vacancy",
  "candidate applicant",
  "deal opportunity",
  "company organization organisation business firm",
  "team group",
  "user member account person",
  "contact person",
  "language tongue",
  "translate translation",
  "weather forecast",
  "song track music",
  "journey trip travel",
  "hotel accommodation lodging",
  "flight plane airline",
  "taxi cab ride",
  "restaurant dining",
  "price cost",
  "money cash funds",
  "pay payment",
  "buy purchase",
  "shipment parcel package delivery",
  "deploy deployment release rollout",
  "build compile",
  "pipeline workflow",
  "log logs logging",
  "metric measurement",
  "error failure exception crash",
  "incident outage",
  "survey questionnaire poll",
  "password credential",
  "secret credential",
  "permission access",
  "book reserve reservation",
  "cancel abort",
  "fetch retrieve get read",
  "copy duplicate clone",
  "subscriber follower",
  "newsletter campaign",
  "visit visitor pageview",
  "statistics stats analytics report",
] as const;

const synonyms = new Map<string, ReadonlySet<string>>();
for (const group of groups) {
  const stems = group.split(" ").map(toStem);
  for (const stem of stems) {
    const others = new Set([...(synonyms.get(stem) ?? []), ...stems]);
    others.delete(stem);
    synonyms.set(stem, others);
  }
}

const none: ReadonlySet<string> = new Set();

/** The stems of the words that mean the same as one with this stem. */
export function listSynonyms(stem: string): ReadonlySet<string> {
  return synonyms.get(stem) ?? none;
}
