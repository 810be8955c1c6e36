import { HubError } from "../errors.ts";

/** The source of a script that asks the hub. */
export const scriptSourceBytesMax = 64 * 1024;

/** Processor time of a script. Its time of waiting for the hub does not count. */
export const computeMsMax = 5_000;

/** Calls and searches of one script together. */
export const questionsMax = 200;
export const questionsAtOnceMax = 5;

/** The results that the hub holds for one script at once. */
export const repliesBytesMax = 1024 * 1024;
/** One of them. */
export const replyBytesMax = Math.floor(repliesBytesMax / questionsAtOnceMax);

/** The params of one call, as JSON. */
export const paramsBytesMax = 256 * 1024;
/** The params of the calls that wait in the process. */
export const waitingParamsCharsMax = 4 * 1024 * 1024;
/** As for messages of clients. */
export const paramsDepthMax = 64;
export const paramsValuesMax = 50_000;

export const toolIdCharsMax = 1_000;
export const queryCharsMax = 10_000;
export const fieldsMax = 100;
export const fieldCharsMax = 500;

/** Processes of scripts that ask the hub. Each user has one at a time. */
export const scriptProcessesMax = 4;
/** How long a script waits for one. */
export const processWaitMsMax = 10_000;
/** Scripts of one user that wait. Each holds its source and input. */
export const waitingScripts = {
  max: 8,
  refuse: () =>
    new HubError(
      "rate_limited",
      "Eight scripts of yours wait already. A user has one script at a time: try again when they have ended.",
      { detail: { retry_after_s: 10, waiting_max: 8 } },
    ),
};
