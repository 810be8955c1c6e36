import { Argument, type Command, Option } from "commander";
import { collect, toWholeNumber } from "../input/option-values.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";

/** What a command takes from its command line, under the name of its member. `Value` is what the command gets. */
export type Taken<Value> = {
  /** Defines it on the command. */
  add(command: Command, member: string): void;
  /** Finds the value that a typed one means, such as the id of a row. */
  find?(lookups: Lookups, typed: string): Promise<Value>;
  /** The type of the value, which only the compiler reads. */
  value?: Value;
};

export type TakenAll = Readonly<Record<string, Taken<unknown>>>;

/** The values of a command. Options that are not given are absent. */
export type CommandInput<All extends TakenAll> = {
  [Member in keyof All]: All[Member] extends Taken<infer Value> ? Value : never;
};

type Find<Value> = (lookups: Lookups, typed: string) => Promise<Value>;

/** An argument. Arguments are in the order of their members. */
export function argument<Value = string>(
  flags: string,
  text?: string,
  find?: Find<Value>,
): Taken<Value> {
  const add = (command: Command) => void command.addArgument(new Argument(flags, text));
  return { add, ...(find && { find }) };
}

/** An option with a value: the member `expiresInDays` is `--expires-in-days <number>`. */
export function option<Value = string>(
  value: string,
  text: string,
  find?: Find<Value>,
): Taken<Value | undefined> {
  return { add: addOption(value, text), ...(find && { find }) };
}

export function requiredOption<Value = string>(
  value: string,
  text: string,
  find?: Find<Value>,
): Taken<Value> {
  const add = addOption(value, text, (made) => made.makeOptionMandatory());
  return { add, ...(find && { find }) };
}

/** An option whose value is one of the choices. */
export function choice<const Choice extends string>(
  value: string,
  text: string,
  choices: readonly Choice[],
): Taken<Choice | undefined> {
  return { add: addOption(value, text, (made) => made.choices(choices)) };
}

/** An option that may be repeated. */
export function repeated(value: string, text: string): Taken<string[] | undefined> {
  return { add: addOption(value, text, (made) => made.argParser(collect)) };
}

export function wholeNumber(value: string, text: string): Taken<number | undefined> {
  return { add: addOption(value, text, (made) => made.argParser(toWholeNumber)) };
}

function addOption(value: string, text: string, set: (made: Option) => Option = (made) => made) {
  return (command: Command, member: string) => {
    const name = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(set(new Option(`--${name} ${value}`.trimEnd(), text)));
  };
}
