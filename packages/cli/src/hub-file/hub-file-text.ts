import { containsText, toJsonText } from "@hub/connector";
import type { HubFileChange, HubFileReport } from "@hub/contract/hub-file.ts";
import type { NotCarried } from "@hub/server/services/hub-file/list-not-carried.ts";
import { toPrintable } from "../text/table.ts";

const namedMax = 20;

/** What `hub export` leaves out, for a person; null if that is nothing. */
export function toNotCarriedText({
  secrets,
  versions,
  ownedByServices,
}: NotCarried): string | null {
  const toPart = (title: string, names: readonly string[]) => {
    if (names.length === 0) return [];
    const shown = names.slice(0, namedMax).map((name) => `  ${toPrintable(name)}`);
    const more = names.length > namedMax ? [`  and ${names.length - namedMax} more`] : [];
    return [title, ...shown, ...more];
  };
  const lines = [
    ...toPart("The file does not have the values of these secrets, only `keep`:", secrets),
    ...toPart("It does not have these earlier versions:", versions),
    ...toPart(
      "These workflows belong to service users, which it does not have. Another hub needs them first:",
      ownedByServices,
    ),
  ];
  if (lines.length === 0) return null;
  return [...lines, "A backup has all of them."].join("\n");
}

/** What `hub apply` changed or would change, for a person. */
export function toReportText({ dry_run: isDryRun, changes, notes }: HubFileReport): string {
  const count = changes.length;
  const lines = changes.flatMap(toLines);
  const end = isDryRun
    ? `${toCount(count)} would be made. Nothing was changed.`
    : `${toCount(count)} made.`;
  const todo = notes.length === 0 ? [] : ["", "To do:", ...notes.map((note) => `  ${note}`)];
  if (count === 0) return ["The hub is as the file says.", ...todo].join("\n");
  return [...lines, ...todo, "", end].join("\n");
}

function toCount(count: number): string {
  return count === 1 ? "1 change" : `${count} changes`;
}

const signs: Record<HubFileChange["action"], string> = {
  create: "+",
  install: "+",
  update: "~",
  disable: "-",
  delete: "-",
  unchecked: "?",
};

function toLines({ action, kind, name, id, fields }: HubFileChange): string[] {
  const shownId = id === null || containsText(name, id) ? "" : ` (${id})`;
  const title = `${signs[action]} ${action === "unchecked" ? "cannot be checked before its plugin is installed:" : action} ${kind} ${name}${shownId}`;
  return [title, ...fields.map((field) => `    ${toFieldLine(action, field)}`)];
}

function toFieldLine(
  action: HubFileChange["action"],
  { field, from, to, secret }: HubFileChange["fields"][number],
): string {
  if (secret) return `${field}: (secret)`;
  if (from === "(changed)") return `${field}: changed`;
  if (action === "create") return `${field}: ${toText(to)}`;
  return `${field}: ${toText(from)} -> ${toText(to)}`;
}

const shownCharsMax = 120;

function toText(value: unknown): string {
  if (value === null || value === undefined) return "(none)";
  const text = toJsonText(value);
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}…`;
}
