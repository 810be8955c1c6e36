/** Whether a draft, which may have errors, has such a trigger. */
export function hasTrigger(
  body: unknown,
  matches: (trigger: Record<string, unknown>) => boolean,
): boolean {
  const { triggers } = Object(body);
  return Array.isArray(triggers) && triggers.some((one) => matches(Object(one)));
}
