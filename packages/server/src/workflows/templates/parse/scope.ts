/**
 * The names that are known at one place of a template. Variables are numbered when the template is
 * parsed: each declaration gets a slot of its own, so that rendering looks up no names.
 */
export type Scope = {
  /** Declares a variable and returns its slot. A later declaration hides an earlier one. */
  declare(name: string): number;
  /** The slot of a variable; null if it is not declared here. */
  find(name: string): number | null;
  names(): readonly string[];
  /** Runs a part whose variables end with it. */
  within<Result>(part: () => Result): Result;
  /** Runs a part in which `.` is a value, not the data; in a loop, `break` is known. */
  rebind<Result>(part: () => Result, options: { isLoop: boolean }): Result;
  isDotRoot(): boolean;
  isInLoop(): boolean;
  slots(): number;
};

export function createScope(): Scope {
  const declared: string[] = [];
  /** The slots of each name, the innermost last. */
  const slotsOf = new Map<string, number[]>();
  let slots = 0;
  let isDotRoot = true;
  let isInLoop = false;
  const within = <Result>(part: () => Result): Result => {
    const mark = declared.length;
    const result = part();
    for (const name of declared.splice(mark)) slotsOf.get(name)?.pop();
    return result;
  };
  return {
    declare: (name) => {
      const slot = slots;
      slots += 1;
      declared.push(name);
      const known = slotsOf.get(name);
      if (known === undefined) slotsOf.set(name, [slot]);
      else known.push(slot);
      return slot;
    },
    find: (name) => slotsOf.get(name)?.at(-1) ?? null,
    names: () => declared,
    within,
    rebind: (part, { isLoop }) => {
      const before = { isDotRoot, isInLoop };
      isDotRoot = false;
      isInLoop ||= isLoop;
      const result = part();
      ({ isDotRoot, isInLoop } = before);
      return result;
    },
    isDotRoot: () => isDotRoot,
    isInLoop: () => isInLoop,
    slots: () => slots,
  };
}
