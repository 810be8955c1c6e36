export type Timers = {
  set(run: () => void, ms: number): unknown;
  clear(timer: unknown): void;
};

const browserTimers: Timers = {
  set: (run, ms) => setTimeout(run, ms),
  clear: (timer) => clearTimeout(timer as Parameters<typeof clearTimeout>[0]),
};

/** A `kvlist` saves this long after the last change. */
const autosaveMs = 800;
/** A `picker` asks this long after the last keystroke. */
const lookupMs = 250;

export type Autosave = {
  /** Saves `text` when nothing more is typed for a while. */
  change(text: string): void;
  /** Saves at once what was not saved yet. */
  flush(): void;
};

/** Saves the last typed text, and each text once. */
export function createAutosave(
  save: (text: string) => void,
  { timers = browserTimers, delayMs = autosaveMs }: { timers?: Timers; delayMs?: number } = {},
): Autosave {
  let waiting: { text: string; timer: unknown } | null = null;
  const flush = () => {
    if (waiting === null) return;
    const { text, timer } = waiting;
    waiting = null;
    timers.clear(timer);
    save(text);
  };
  return {
    change(text) {
      if (waiting !== null) timers.clear(waiting.timer);
      waiting = { text, timer: timers.set(flush, delayMs) };
    },
    flush,
  };
}

type Asking<T> = {
  ask(query: string): Promise<T>;
  onAnswer(answer: T, query: string): void;
  onFailure(thrown: unknown): void;
};

export type Lookup = {
  /** Asks for `query` when nothing more is typed for a while. */
  change(query: string): void;
  /** Drops what is waiting and every answer to come. */
  stop(): void;
};

/** Asks after a pause, and drops the answers to earlier questions. */
export function createLookup<T>(
  { ask, onAnswer, onFailure }: Asking<T>,
  { timers = browserTimers, delayMs = lookupMs }: { timers?: Timers; delayMs?: number } = {},
): Lookup {
  let latest = 0;
  let timer: unknown;
  const send = async (query: string, mine: number) => {
    try {
      const answer = await ask(query);
      if (mine === latest) onAnswer(answer, query);
    } catch (thrown) {
      if (mine === latest) onFailure(thrown);
    }
  };
  return {
    change(query) {
      latest += 1;
      const mine = latest;
      timers.clear(timer);
      timer = timers.set(() => void send(query, mine), delayMs);
    },
    stop() {
      latest += 1;
      timers.clear(timer);
    },
  };
}
