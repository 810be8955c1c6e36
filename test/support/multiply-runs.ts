/**
 * Preloaded by `.ci/nightly`: the properties of fast-check have HUB_TEST_RUNS times as many runs. A seed in HUB_TEST_SEED makes
 * them the same again.
 */

import { mock } from "bun:test";
import fastCheck, { type Parameters } from "fast-check";

const times = Number(process.env.HUB_TEST_RUNS ?? "1");
const seed = Number(process.env.HUB_TEST_SEED ?? Number.NaN);
/** What fast-check runs by itself. */
const runsByDefault = 100;

type Assert = (property: unknown, params?: Parameters<unknown>) => unknown;

// The cast is safe: it passes on what it gets.
const assertOnce = fastCheck.assert as unknown as Assert;
const assert: Assert = (property, { numRuns = runsByDefault, ...params } = {}) =>
  assertOnce(property, {
    ...(Number.isInteger(seed) && { seed }),
    ...params,
    numRuns: numRuns * times,
  });

const multiplied = { ...fastCheck, assert };
mock.module("fast-check", () => ({ ...multiplied, default: multiplied }));
