import type { Json } from "@hub/connector";
import type { Timers } from "../../lib/time/timers.ts";
import type { ClientRequest } from "../../operations/operations.ts";
import type { PendingTasks } from "../../operations/ports.ts";

const checkEveryMs = 1000;
/** As long as a client of the session mode may take. */
const answerMsMax = 5 * 60_000;

type Run = { id: string; runId: string };

/**
 * Asks the client of a task, which reads the question and answers it on any server. `onAsked` runs when the question is stored. Null if there is
 * no answer in time, or the call has ended.
 */
export async function askInTask(
  { tasks, timers }: { tasks: Pick<PendingTasks, "questions">; timers: Timers },
  run: Run,
  question: { key: string; request: ClientRequest },
  onAsked: () => void,
): Promise<Json | null> {
  const isAsked = await tasks.questions.ask(run, question).finally(onAsked);
  if (!isAsked) return null;
  const until = timers.now() + answerMsMax;
  while (timers.now() < until) {
    const answer = await tasks.questions.takeAnswer(run);
    if (answer !== undefined) return answer;
    await new Promise<void>((resolve) => timers.after(checkEveryMs, resolve));
  }
  await tasks.questions.takeBack(run);
  return null;
}
