import { expect, test } from "bun:test";
import { channelStateSchema } from "@hub/contract/channel.ts";
import { describeHealthProblem, toChannelOption } from "./channel-state-names.ts";

const states = channelStateSchema.options;
const toOption = (state: (typeof states)[number]) =>
  toChannelOption({ slug: "team", label: "Team chat", state });

test("A channel that is not connected is listed with its state", () => {
  expect(toOption("connected")).toEqual({ value: "team", label: "Team chat (team)" });
  expect(toOption("needs_setup").label).toBe("Team chat (team): needs setup");
  expect(toOption("failed").label).toBe("Team chat (team): failed");
});

test("A chosen channel that does not work says what follows", () => {
  const quiet = states.filter((state) => describeHealthProblem({ state }) === undefined);
  expect(quiet).toEqual(["connected", "connecting"]);
});
