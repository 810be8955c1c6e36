/** Lists the names of the hub without a case, and the cases without a name of the hub. */
export function listMissing(kind: string, known: readonly string[], cases: object): string[] {
  const names = Object.keys(cases);
  return [
    ...known.filter((name) => !names.includes(name)).map((name) => `${kind} ${name} has no case`),
    ...names
      .filter((name) => !known.includes(name))
      .map((name) => `${kind} ${name} does not exist`),
  ];
}
