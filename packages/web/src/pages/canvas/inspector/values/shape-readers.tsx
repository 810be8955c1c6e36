import { useEffect } from "react";
import { useApi } from "../../../../api/use-api.ts";
import { parseToolId } from "../../../../workflow-parts/tool-id.ts";
import { toShape, UnknownValue } from "../../expressions/schema-shape.ts";
import { findItem } from "../../graph/body.ts";
import { useInspector } from "../inspector-context.ts";
import type { ValueRoot } from "./value-rows.ts";

type OnShape = (id: string, shape: unknown) => void;

type Props = {
  /** The roots whose values no run has given. */
  roots: readonly ValueRoot[];
  onShape: OnShape;
};

/** Reads the schemas of outputs and of the form that starts a run, for values that no run has given. */
export function ShapeReaders({ roots, onShape }: Props) {
  const { body, item } = useInspector();
  return roots.map(({ path: [kind, id] }) => {
    if (kind === "Event") {
      const manual = body.triggers.find(({ type, input }) => type === "manual" && input);
      return manual === undefined ? null : (
        <PayloadShape key="event" trigger={manual.id} onShape={onShape} />
      );
    }
    const found = kind === "Node" && id !== item.id ? findItem(body, String(id)) : null;
    const address = parseToolId(found?.tool_id);
    if (found === null || address === null) return null;
    return <OutputShape key={found.id} {...address} node={found.id} onShape={onShape} />;
  });
}

function PayloadShape({ trigger, onShape }: { trigger: string; onShape: OnShape }) {
  const { workflow } = useInspector();
  const { data } = useApi("GET /manager/api/workflows/{workflow}/manual", {
    params: { workflow },
    query: { body: "draft" },
  });
  const form = data?.triggers.find(({ id }) => id === trigger);
  useEffect(() => {
    if (form?.takes_fields !== true) return;
    const fields = form.groups.flatMap((group) => group.fields);
    const types = { integer: "number", float: "number", boolean: "true or false" };
    const toType = (base: string) => Object(types)[base] ?? "text";
    const shape = fields.map(({ key, base }) => [key, new UnknownValue(toType(base))]);
    onShape(trigger, Object.fromEntries(shape));
  }, [form, trigger, onShape]);
  return null;
}

type OutputProps = { row: string; operation: string; node: string; onShape: OnShape };

function OutputShape({ row, operation, node, onShape }: OutputProps) {
  const { data } = useApi("GET /manager/api/rows/{row}/operations/{operation}", {
    params: { row, operation },
  });
  const schema = data?.output_schema;
  useEffect(() => {
    if (schema != null) onShape(node, toShape(schema));
  }, [schema, node, onShape]);
  return null;
}
