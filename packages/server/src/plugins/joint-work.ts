/** Does work once for all who ask for it at the same time; each is told of every step. */
export type JointWork<Step> = <T>(
  name: string,
  onStep: (step: Step) => void,
  work: (onStep: (step: Step) => void) => Promise<T>,
) => Promise<T>;

type Running<Step> = {
  outcome: Promise<unknown>;
  listeners: Array<(step: Step) => void>;
  last: Step | null;
};

/** Work with the same name must have results of the same type. */
export function createJointWork<Step>(): JointWork<Step> {
  const running = new Map<string, Running<Step>>();

  return <T>(
    name: string,
    onStep: (step: Step) => void,
    work: (onStep: (step: Step) => void) => Promise<T>,
  ): Promise<T> => {
    const present = running.get(name);
    if (present !== undefined) {
      present.listeners.push(onStep);
      if (present.last !== null) onStep(present.last);
      // Work with this name has results of this type.
      return present.outcome as Promise<T>;
    }
    const own: Running<Step> = { outcome: Promise.resolve(), listeners: [onStep], last: null };
    const outcome = Promise.try(() =>
      work((step) => {
        own.last = step;
        for (const listener of own.listeners) listener(step);
      }),
    ).finally(() => running.delete(name));
    own.outcome = outcome;
    running.set(name, own);
    return outcome;
  };
}
