import { Argument, type Command, Option } from "commander";
import { collect, collectPairs, toList, toWholeNumber } from "../input/option-values.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";

/** What a command takes from its command line, under the name of its member. `Value` is what the command gets. */
export type Parameter<Value> = {
  /** Defines it on the command. Returns what reads it as it was typed. `program` is the name of the program. */
  add(command: Command, member: string, program: string): () => unknown;
  /** Finds the value that a typed one means, such as the id of a row. */
  find?(lookups: Lookups, typed: string): Value | Promise<Value>;
};

export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>;

type ValueOf<One> = One extends Parameter<infer Value> ? Value : never;

/** The values of a command. Those that are not given are absent; a list of arguments is empty then. */
export type Values<All extends ParameterSet> = {
  [Member in keyof All as undefined extends ValueOf<All[Member]> ? never : Member]: ValueOf<
    All[Member]
  >;
} & {
  [Member in keyof All as undefined extends ValueOf<All[Member]> ? Member : never]?: Exclude<
    ValueOf<All[Member]>,
    undefined
  >;
};

type Find<Value> = (lookups: Lookups, typed: string) => Value | Promise<Value>;
type Parse<Value> = (typed: string, before: Value | undefined) => Value;

/** What commander reads: `<one>`, `[one]`, which may be absent, or `[all...]` that follow. */
type Typed<Flags extends string, Value> = Flags extends `${string}...${string}`
  ? Value[]
  : Flags extends `<${string}>`
    ? Value
    : Value | undefined;

/** Arguments are in the order of their members. `{hub}` in its text is the program's name. */
export function argument<const Flags extends string, Value = Typed<Flags, string>>(
  flags: Flags,
  text?: string,
  find?: Find<Value>,
): Parameter<NoInfer<Value>> {
  return { add: addArgument(flags, text), ...(find && { find }) };
}

/** An argument that is a whole number. */
export function numberArgument<const Flags extends string>(
  flags: Flags,
  text: string,
): Parameter<Typed<Flags, number>> {
  return { add: addArgument(flags, text, (made) => made.argParser(toWholeNumber)) };
}

/** An option with a value: the member `expiresInDays` is `--expires-in-days <number>`. */
export function option<Value = string>(
  value: string,
  text?: string,
  find?: Find<Value>,
): Parameter<NoInfer<Value> | undefined> {
  return { add: addOption(value, text), ...(find && { find }) };
}

export function requiredOption<Value = string>(
  value: string,
  text: string,
  find?: Find<Value>,
): Parameter<NoInfer<Value>> {
  const add = addOption(value, text, (made) => made.makeOptionMandatory());
  return { add, ...(find && { find }) };
}

/** An option without a value. */
export function flag(text: string): Parameter<true | undefined> {
  return { add: addOption("", text) };
}

/** An option whose value is one of the choices. */
export function choice<const Choice extends string>(
  value: string,
  text: string,
  choices: readonly Choice[],
  preset?: Choice,
): Parameter<Choice | undefined> {
  return { add: addOption(value, text, (made) => made.choices(choices).default(preset)) };
}

/** An option with a value that is parsed. `before` is the value of the same option before this one. */
export function parsed<Value>(
  value: string,
  text: string,
  parse: Parse<Value>,
): Parameter<Value | undefined> {
  return { add: addOption(value, text, (made) => made.argParser(parse)) };
}

/** An option that may be repeated. */
export const repeated = (value: string, text: string) => parsed(value, text, collect);

/** An option `key=value` that may be repeated with other keys. */
export const pairs = (value: string, text: string) => parsed(value, text, collectPairs);

export const wholeNumber = (value: string, text: string) => parsed(value, text, toWholeNumber);

/** Finds the id of a user by e-mail. */
export const findUserId: Find<string> = async ({ findUser }, email) => (await findUser(email)).id;

/** The options that change the tags of something. */
export const tagOptions = {
  tag: repeated("<tag>", "add a tag; may be repeated"),
  untag: repeated("<tag>", "remove a tag; may be repeated"),
  tags: option("<list>", "replace all tags by these, comma-separated", (_, text) => toList(text)),
};

/** What the options say, as the services take it. */
export function toTagChange({ tag = [], untag = [], tags }: Values<typeof tagOptions>) {
  return { addTags: tag, removeTags: untag, ...(tags !== undefined && { tags }) };
}

/** Defines the parameters of a command. Returns what reads their values when the command runs. */
export function addParameters<All extends ParameterSet>(
  command: Command,
  takes: All | undefined,
  program: string,
): (lookups: Lookups) => Promise<Values<All>> {
  const added = Object.entries(takes ?? {}).map(([member, { add, find }]) => ({
    member,
    read: add(command, member, program),
    find,
  }));
  return async (lookups) => {
    const values: Record<string, unknown> = {};
    for (const { member, read, find } of added) {
      const typed = read();
      if (typed === undefined) continue;
      values[member] = find === undefined ? typed : await find(lookups, String(typed));
    }
    // The members of `takes` say the types of the values.
    return values as Values<All>;
  };
}

type Set<Made> = (made: Made) => Made;

function addArgument(flags: string, text?: string, set: Set<Argument> = (made) => made) {
  return (command: Command, _member: string, program: string) => {
    const at = command.registeredArguments.length;
    command.addArgument(set(new Argument(flags, text?.replace("{hub}", program))));
    return () => command.processedArgs[at];
  };
}

function addOption(value: string, text?: string, set: Set<Option> = (made) => made) {
  return (command: Command, member: string) => {
    const name = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(set(new Option(`--${name} ${value}`.trimEnd(), text)));
    return () => command.getOptionValue(member);
  };
}
