import { expect, test } from "bun:test";
import { describeAsked } from "./describe-asked.ts";

const sent = { kind: "slack", state: "sent" as const, failure: null };
const work = { slug: "work", label: "Work chat" };

test("The people who were asked stand behind the channel that asks them", () => {
  const asked = [
    { ...sent, email: "ann@example.com", channel: work },
    { ...sent, email: "me@example.com", channel: null },
    { ...sent, email: null, channel: work, state: "waiting" as const },
    {
      ...sent,
      email: "tom@example.com",
      channel: { slug: "phone", label: "Phone" },
      state: "failed" as const,
      failure: "Telegram says: bot was blocked.",
    },
  ];
  expect(describeAsked(asked)).toEqual([
    "#work: ann@example.com, a deleted user (not sent yet)",
    "slack: me@example.com",
    "#phone: tom@example.com (not sent: Telegram says: bot was blocked)",
  ]);
  expect(describeAsked([])).toEqual([]);
});
