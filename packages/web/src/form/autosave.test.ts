import { expect, test } from "bun:test";
import { createAutosave, createLookup, type Timers } from "./autosave.ts";

/** Timers that run when the test says so. */
function createClock() {
  let now = 0;
  let next = 0;
  const waiting = new Map<number, { at: number; run: () => void }>();
  const timers: Timers = {
    set(run, ms) {
      next += 1;
      waiting.set(next, { at: now + ms, run });
      return next;
    },
    clear: (timer) => void waiting.delete(Number(timer)),
  };
  const pass = (ms: number) => {
    now += ms;
    for (const [id, { at, run }] of [...waiting]) {
      if (at > now) continue;
      waiting.delete(id);
      run();
    }
  };
  return { timers, pass };
}

test("A table saves 800 ms after the last keystroke, once", () => {
  const { timers, pass } = createClock();
  const saved: string[] = [];
  const autosave = createAutosave((text) => void saved.push(text), { timers });
  autosave.change("a");
  pass(799);
  autosave.change("ab");
  pass(799);
  expect(saved).toEqual([]);
  pass(1);
  expect(saved).toEqual(["ab"]);
  autosave.flush();
  pass(5000);
  expect(saved).toEqual(["ab"]);
});

test("What waits is saved at once when the page is left, and not again", () => {
  const { timers, pass } = createClock();
  const saved: string[] = [];
  const autosave = createAutosave((text) => void saved.push(text), { timers });
  autosave.change("a");
  autosave.flush();
  pass(5000);
  expect(saved).toEqual(["a"]);
});

/** A picker whose questions the test answers. */
function openLookup() {
  const { timers, pass } = createClock();
  const answers = new Map<string, PromiseWithResolvers<string>>();
  const shown: string[] = [];
  const lookup = createLookup<string>(
    {
      ask(query) {
        const answer = Promise.withResolvers<string>();
        answers.set(query, answer);
        return answer.promise;
      },
      onAnswer: (answer) => void shown.push(answer),
      onFailure: () => void shown.push("failed"),
    },
    { timers },
  );
  return { lookup, answers, shown, pass };
}

test("A picker asks 250 ms after the last keystroke, and drops the answers to earlier questions", async () => {
  const { lookup, answers, shown, pass } = openLookup();
  lookup.change("a");
  pass(249);
  lookup.change("ad");
  pass(249);
  expect([...answers.keys()]).toEqual([]);
  pass(1);
  lookup.change("ada");
  pass(250);
  expect([...answers.keys()]).toEqual(["ad", "ada"]);
  answers.get("ada")?.resolve("Ada");
  answers.get("ad")?.reject(new Error("late"));
  await Promise.allSettled([...answers.values()].map(({ promise }) => promise));
  expect(shown).toEqual(["Ada"]);
});

test("A picker that was stopped shows neither the answer nor the failure that comes later", async () => {
  for (const end of ["resolve", "reject"] as const) {
    const { lookup, answers, shown, pass } = openLookup();
    lookup.change("ada");
    pass(250);
    lookup.stop();
    answers.get("ada")?.[end]("Ada");
    await Promise.allSettled([answers.get("ada")?.promise]);
    expect(shown).toEqual([]);
  }
});
