/** Requests that the proxy refuses although they follow the specification, by the message, each with the reason. */
const kinds: ReadonlyArray<{ message: string; reason: string }> = [
  {
    message: "Cannot deserialize JSON object array in form data request body.",
    reason: "It reads a list of objects in the style deepObject, then parses the objects as JSON.",
  },
  {
    message: "Reserved characters used in request body",
    reason:
      "It takes the plus sign, which a form has in place of a space, as a reserved character.",
  },
];

/** Why the proxy refuses a request wrongly. Null if the request may violate the document. */
export function findProxyFault(violation: string): string | null {
  return kinds.find(({ message }) => violation.includes(message))?.reason ?? null;
}
