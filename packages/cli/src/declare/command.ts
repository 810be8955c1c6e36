import type { Command } from "commander";
import type { Cli, CommandHub } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import type { Answer } from "../text/print-answer.ts";
import { addParameters, type ParameterSet, type Values } from "./parameters.ts";

type Page<Item> = { items: Item[]; next: string | null };

/** The end of a help. `{hub}` in it is the program's name. */
type Help = {
  /** What stands before the examples. */
  about?: string;
  /** They begin after the program's name. */
  examples?: readonly string[];
  /** The default is `Example` for one and `Examples` for more. */
  heading?: string;
};

type Taking<All extends ParameterSet> = {
  /** Arguments and options, in the order of the help. */
  takes?: All;
  help?: Help;
};

/** A command that calls one service and shows its answer, as text or with `--json` as it is. */
type Declaration<All extends ParameterSet, Result> = Taking<All> & {
  does(hub: CommandHub, values: Values<All>, cli: Cli): Promise<Result>;
  shows(result: Result, values: Values<All>, cli: Cli): string;
  /** A line for people on standard error; none if null. */
  note?: (result: Result, values: Values<All>, cli: Cli) => string | null;
};

type List<All extends ParameterSet, Item> = Omit<Declaration<All, Item[]>, "does"> & {
  /** Reads one page. The command shows all. */
  reads(hub: CommandHub, values: Values<All>, page: { after?: string }): Promise<Page<Item>>;
};

type Answering<All extends ParameterSet> = Taking<All> & {
  answers(hub: CommandHub, values: Values<All>, cli: Cli): Promise<Answer>;
};

/** Defines one or more commands below a group. */
export type Define = (group: Command, cli: Cli) => void;

/** The verbs of what can be switched on and off. */
export const switches = ["enable", "disable"] as const;

/** Declares a command of a group. */
export function command<const All extends ParameterSet, Result>(
  name: string,
  summary: string,
  { does, shows, note: toNote, ...taking }: Declaration<All, Result>,
): Define {
  const answers = async (hub: CommandHub, values: Values<All>, cli: Cli) => {
    const json = await does(hub, values, cli);
    const text = shows(json, values, cli);
    const note = toNote?.(json, values, cli) ?? null;
    return { json, text, ...(note !== null && { note }) };
  };
  return answeringCommand<All>(name, summary, { ...taking, answers });
}

/** Declares a command that shows all pages of a list. */
export function list<const All extends ParameterSet, Item>(
  name: string,
  summary: string,
  { reads, ...rest }: List<All, Item>,
): Define {
  const does = (hub: CommandHub, values: Values<All>) =>
    readAllPages((page) => reads(hub, values, page));
  return command<All, Item[]>(name, summary, { ...rest, does });
}

/** Declares a command that makes its answer itself, because its text needs more than its document or has several forms. */
export function answeringCommand<const All extends ParameterSet>(
  name: string,
  summary: string,
  { takes, help, answers }: Answering<All>,
): Define {
  return (group, cli) => {
    const made = group.command(name).description(summary);
    const readValues = addParameters(made, takes, cli.name);
    if (help !== undefined) addHelp(made, cli, help);
    made.action(() =>
      cli.answer(made, async (hub) => answers(hub, await readValues(hub.lookups), cli)),
    );
  };
}

/** Declares a group below a group. */
export function innerGroup(name: string, summary: string, commands: readonly Define[]): Define {
  return (group, cli) => {
    const made = group.command(name).description(summary);
    for (const define of commands) define(made, cli);
  };
}

/** Declares the commands of a group. */
export function group(help: Help, commands: readonly Define[]): Define {
  return (made, cli) => {
    addHelp(made, cli, help);
    for (const define of commands) define(made, cli);
  };
}

function addHelp(made: Command, cli: Cli, { about, examples = [], heading }: Help): void {
  const lines = examples.map((example) => `\n  $ ${cli.name} ${example}`);
  const title = heading ?? (examples.length === 1 ? "Example" : "Examples");
  const parts = [
    ...(about === undefined ? [] : [about.replace("{hub}", cli.name)]),
    ...(lines.length === 0 ? [] : [`${title}:${lines.join("")}`]),
  ];
  made.addHelpText("after", `\n${parts.join("\n\n")}`);
}
