import type { Command } from "commander";
import type { Cli, CommandHub } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import type { CommandInput, TakenAll } from "./command-input.ts";

type Page<Item> = { items: Item[]; next: string | null };

/** A command that calls one service and shows its answer, as text or with `--json` as it is. */
type Declaration<All extends TakenAll, Result> = {
  /** Arguments and options, in the order of the help. */
  takes?: All;
  does(hub: CommandHub, given: CommandInput<All>): Promise<Result>;
  shows(result: Result, given: CommandInput<All>): string;
  /** A line for people on standard error. */
  note?: string;
};

type List<All extends TakenAll, Item> = Omit<Declaration<All, Item[]>, "does"> & {
  /** Reads one page. The command shows all. */
  reads(hub: CommandHub, given: CommandInput<All>, page: { after?: string }): Promise<Page<Item>>;
};

/** Defines one or more commands below a group. */
type Define = (group: Command, cli: Cli) => void;

/** Declares a command of a group. */
export function command<const All extends TakenAll, Result>(
  name: string,
  summary: string,
  { takes, does, shows, note }: Declaration<All, Result>,
): Define {
  return (group, cli) => {
    const made = group.command(name).description(summary);
    for (const [member, taken] of Object.entries(takes ?? {})) taken.add(made, member);
    made.action(() =>
      cli.answer(made, async (hub) => {
        const given = await readCommandInput(made, takes, hub);
        const result = await does(hub, given);
        const text = shows(result, given);
        return { json: result, text, ...(note !== undefined && { note }) };
      }),
    );
  };
}

/** Declares a command that shows all pages of a list. */
export function list<const All extends TakenAll, Item>(
  name: string,
  summary: string,
  { reads, ...rest }: List<All, Item>,
): Define {
  const does = (hub: CommandHub, given: CommandInput<All>) =>
    readAllPages((page) => reads(hub, given, page));
  return command<All, Item[]>(name, summary, { ...rest, does });
}

/** Declares the commands of a group, with examples that begin after the program's name. */
export function group(examples: readonly string[], commands: readonly Define[]): Define {
  return (made, cli) => {
    const lines = examples.map((example) => `\n  $ ${cli.name} ${example}`);
    made.addHelpText("after", `\nExamples:${lines.join("")}`);
    for (const define of commands) define(made, cli);
  };
}

async function readCommandInput<All extends TakenAll>(
  made: Command,
  takes: All | undefined,
  { lookups }: CommandHub,
): Promise<CommandInput<All>> {
  const names = made.registeredArguments.length;
  const options: Record<string, unknown> = made.opts();
  const given: Record<string, unknown> = {};
  for (const [at, [member, { find }]] of Object.entries(takes ?? {}).entries()) {
    const typed = at < names ? made.processedArgs[at] : options[member];
    if (typed === undefined) continue;
    given[member] = find === undefined ? typed : await find(lookups, String(typed));
  }
  // The members of `takes` say the types of the values.
  return given as CommandInput<All>;
}
