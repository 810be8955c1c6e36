import { useApi } from "../../../api/use-api.ts";
import { toDraft } from "../../../form/field-form.ts";
import { FormSkeleton } from "../../../ui/page/form-skeleton.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import type { RowSearch } from "../row-search.ts";
import type { ShownRow } from "../shown-row.ts";
import { TestForm } from "./test-form.tsx";

type Props = {
  row: ShownRow;
  operation: string;
  prefill: string | undefined;
  given: RowSearch["params"];
};

/** The form of a call, filled in from an earlier call or from given params. */
export function TestCall({ row, operation, prefill, given = {} }: Props) {
  const params = { row: row.id, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  const earlier = useApi(
    "GET /manager/api/runs/{run}/form",
    { params: { run: prefill ?? "" } },
    { isOn: prefill !== undefined },
  );
  return (
    <Loaded of={form} what="The inputs" skeleton={<FormSkeleton fields={3} />}>
      {(found) =>
        prefill === undefined ? (
          <TestForm
            row={row}
            form={found}
            given={toDraft(found.groups, given)}
            retryOf={undefined}
          />
        ) : (
          <Loaded of={earlier} what="The earlier call" skeleton={<PageSkeleton lines={4} />}>
            {(run) => (
              <TestForm
                row={row}
                form={found}
                given={toDraft(found.groups, run.params)}
                retryOf={prefill}
              />
            )}
          </Loaded>
        )
      }
    </Loaded>
  );
}
