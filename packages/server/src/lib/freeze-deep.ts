/** Freezes plain data at every depth, so that it can be shared. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeDeep(member);
  return value;
}
