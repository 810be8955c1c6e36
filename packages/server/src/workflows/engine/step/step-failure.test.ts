import { expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { canPass, mayHaveHappened, toStepFailure } from "./step-failure.ts";

test("What a failed script called may have happened, and it is not tried again", () => {
  const failed = toStepFailure(new HubError("code_failed", "The script threw."));
  expect([mayHaveHappened(failed), canPass(failed)]).toEqual([true, false]);
  const refused = toStepFailure(new HubError("rate_limited", "Another script runs."));
  expect([mayHaveHappened(refused), canPass(refused)]).toEqual([false, true]);
});
