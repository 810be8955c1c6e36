/**
 * The names that are known at one place of a template. Variables are numbered when the template is
 * parsed: each declaration gets a slot of its own, so that rendering looks up no names.
 */
export type Scope = {
  /** Declares a variable and returns its slot. A later declaration hides an earlier one. */
  declare(name: string): number;
  /** The slot of a variable; null if it is not declared here. */
  find(name: string): number | null;
  names(): string[];
  /** Runs a part whose variables end with it. */
  within<Result>(part: () => Result): Result;
  /** Runs a part in which `.` is a value, not the data; in a loop, `break` is known. */
  rebind<Result>(part: () => Result, options: { isLoop: boolean }): Result;
  isDotRoot(): boolean;
  isInLoop(): boolean;
  slots(): number;
};

export function createScope(): Scope {
  const declared: { name: string; slot: number }[] = [];
  let slots = 0;
  let isDotRoot = true;
  let isInLoop = false;
  const within = <Result>(part: () => Result): Result => {
    const mark = declared.length;
    const result = part();
    declared.length = mark;
    return result;
  };
  return {
    declare: (name) => {
      const slot = slots;
      slots += 1;
      declared.push({ name, slot });
      return slot;
    },
    find: (name) => declared.findLast((one) => one.name === name)?.slot ?? null,
    names: () => declared.map(({ name }) => name),
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
