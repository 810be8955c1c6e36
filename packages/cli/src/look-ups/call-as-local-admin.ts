import type { RetryContext } from "@hub/server/services/runs/retry-run.ts";
import type { Cli } from "../cli.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import { toPrintable } from "../text/table.ts";

/**
 * Makes a call as the local admin. Progress goes to standard error; SIGINT or SIGTERM cancels the
 * call.
 */
export async function callAsLocalAdmin<Result>(
  cli: Cli,
  call: (ctx: RetryContext) => Promise<Result>,
): Promise<Result> {
  const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
  const cancel = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => cancel.abort());
  try {
    return await call({
      caller: localAdmin,
      signal: cancel.signal,
      onProgress: ({ done, total, message = "" }) => {
        // A note for people that something starts, such as a program.
        const isNote = done === 0 && total === undefined;
        if (isNote && !cli.terminal.stderr.isTTY) return;
        const steps = total === undefined ? `${done}` : `${done}/${total}`;
        cli.terminal.stderr.write(`${isNote ? "" : `${steps} `}${toPrintable(message)}\n`);
      },
    });
  } finally {
    end.stop();
  }
}
