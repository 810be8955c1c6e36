/** The time zone of triggers that name none: the variable `TZ` of the process, or the machine's. */
export function findHubTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
