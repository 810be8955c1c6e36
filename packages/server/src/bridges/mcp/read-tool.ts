import { type DiscoveredOperation, isJsonObject } from "@hub/connector";

/** A tool that cannot be an operation, and why, as a sentence. */
type RefusedTool = { sourceName: string; reason: string };

const reportAdvice = "Report this to the server's author.";

/** A tool of a list, as the server sent it. `position` counts from 1. */
export function readTool(tool: unknown, position: number): DiscoveredOperation | RefusedTool {
  if (!isJsonObject(tool)) return refuse(`(tool ${position})`, "It is not an object.");
  const { name, description, inputSchema, outputSchema } = tool;
  if (typeof name !== "string" || name === "")
    return refuse(`(tool ${position})`, "It has no name.");
  if (!isTextOrAbsent(description)) return refuse(name, "Its description is not a text.");
  if (!isTextOrAbsent(tool.title)) return refuse(name, "Its title is not a text.");
  const schemaFault = findSchemaFault(inputSchema);
  if (schemaFault !== null) return refuse(name, `Its input schema ${schemaFault}.`);
  // Hints count in the cautious direction alone until an admin approves the operation.
  const hints = isJsonObject(tool.annotations) ? tool.annotations : {};
  const title = tool.title ?? hints.title;
  return {
    sourceName: name,
    ...(typeof title === "string" && { title }),
    description: description ?? "",
    // Checked above.
    inputSchema: inputSchema as DiscoveredOperation["inputSchema"],
    ...(isJsonObject(outputSchema) && { outputSchema }),
    destructive: hints.readOnlyHint !== true,
    idempotent: hints.idempotentHint === true,
  };
}

function refuse(sourceName: string, fault: string): RefusedTool {
  return { sourceName, reason: `${fault} ${reportAdvice}` };
}

/** Some servers write null for a member that they do not have. */
function isTextOrAbsent(value: unknown): value is string | null | undefined {
  return typeof value === "string" || value === null || value === undefined;
}

/** What completes the sentence "Its input schema …". Null if there is no fault. */
function findSchemaFault(schema: unknown): string | null {
  if (schema === undefined || schema === null) return "is missing";
  if (!isJsonObject(schema)) return "is not an object";
  const { properties, required } = schema;
  if (properties !== undefined) {
    if (!isJsonObject(properties)) return "has properties that are not an object";
    const isSchema = (value: unknown) => typeof value === "boolean" || isJsonObject(value);
    if (!Object.values(properties).every(isSchema)) return "has a property that is not a schema";
  }
  if (required === undefined) return null;
  const isNames = Array.isArray(required) && required.every((name) => typeof name === "string");
  return isNames ? null : "has a list of required properties that is not a list of names";
}
