import { defineOperation } from "../define-operation.ts";

export function defineWorkflowTriggerTypes() {
  return defineOperation({
    name: "List trigger types",
    description:
      "List the types of triggers that start runs.\n\nEach has fields, the JSON Schema of the trigger in a workflow's body, and payload_schema, which describes .Event.Payload in templates. Use it to read or write the body of a workflow.",
    async run() {
      const { describeTriggerTypes } = await import("../../triggers/payload-schemas.ts");
      const types = describeTriggerTypes();
      return {
        trigger_types: types.map(({ payload, ...type }) => ({
          ...type,
          payload_schema: payload,
        })),
      };
    },
  });
}
