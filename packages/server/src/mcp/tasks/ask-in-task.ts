import type { Json } from "@hub/connector";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { ClientRequest } from "../../operations/operations.ts";
import type { PendingTasks } from "../../operations/ports.ts";

const checkEveryMs = 1000;
/** As long as a client of the session mode may take. */
const answerMsMax = 5 * 60_000;

type Run = { id: string; runId: string };

type AskDeps = {
  tasks: { questions: Pick<PendingTasks["questions"], "ask" | "takeAnswer" | "takeBack"> };
  timers: Timers;
  log: Pick<Log, "error">;
};

/**
 * Asks the client of a task, which reads the question and answers it on any server. `onAsked` runs when the question is stored. Null if there is
 * no answer in time, or the call has ended. It never rejects: an outside system is told of no failure of the database.
 */
export async function askInTask(
  { tasks, timers, log }: AskDeps,
  run: Run,
  question: { key: string; request: ClientRequest },
  onAsked: () => void,
): Promise<Json | null> {
  const report = (err: unknown) => {
    log.error({ err, task: run.id }, "A question of a task was not kept or not read");
  };
  const isAsked = await tasks.questions.ask(run, question).catch(report).finally(onAsked);
  if (isAsked !== true) return null;
  const until = timers.now() + answerMsMax;
  while (timers.now() < until) {
    // Looked at again, as long as the database is away.
    const answer = await tasks.questions.takeAnswer(run).catch(report);
    if (answer !== undefined) return answer;
    await new Promise<void>((resolve) => timers.after(checkEveryMs, resolve));
  }
  await tasks.questions.takeBack(run).catch(report);
  return null;
}
