import type { Item } from "../../graph/body.ts";

/** What the payload of a trigger's event looks like, to begin a typed one. */
export function toSamplePayload({ type, ...fields }: Item): unknown {
  switch (type) {
    case "webhook": {
      const { method = "POST", path = "" } = fields;
      const [first = "POST"] = Array.isArray(method) ? method : [method];
      return { path, method: first, headers: {}, query: {}, body: {}, raw: "" };
    }
    case "error":
      return {
        run_id: "",
        error: "",
        node_id: "",
        event: {},
        workflow_id: "",
        severity: "error",
        depth: 1,
      };
    case "channel":
      return { user: "", text: "", channel_id: "" };
    default:
      return {};
  }
}
