/** The users who started a run, and the runs that led to it. */
export function readStarterIds({ starterIds }: { starterIds: string | null }): string[] {
  return starterIds === null ? [] : JSON.parse(starterIds);
}
