import { InvalidInputError } from "@hub/connector";

/**
 * The name of a look-up's source among those of a chat connector, such as `slack.users`. The last part of a name, such as
 * `users`, is its alias, and so are the given ones. Throws InvalidInputError, which lists the names, for any other.
 */
export function findSource<Name extends string>(
  names: readonly Name[],
  source: string,
  aliases: Readonly<Record<string, Name>> = {},
): Name {
  const found =
    names.find((name) => name === source || name.slice(name.indexOf(".") + 1) === source) ??
    (Object.hasOwn(aliases, source) ? aliases[source] : undefined);
  if (found !== undefined) return found;
  throw new InvalidInputError("source", `is not known. Use ${names.join(", ")}`);
}
