import { defineOperation, type OperationDeps } from "../define-operation.ts";

export function defineWorkflowIntegration(deps: OperationDeps) {
  return defineOperation({
    name: "List channels",
    description:
      "List the chat channels that workflows can use, with their events.\n\nEach channel has key (the value of channel in triggers and nodes), kind, events and ops. An event has an id, match_schema (the filters of a channel trigger; a list of ids may also be plain texts) and payload_schema (what .Event.Payload is in templates). An op is an action of a channel node, with the input_schema of its args, and the tool_id to call it yourself. The list is empty while you can see no channel.",
    reads: true,
    async run({ caller }) {
      const { describeChannels } = await import("../../channels/describe-channels.ts");
      return { channels: await describeChannels(deps, caller) };
    },
  });
}
