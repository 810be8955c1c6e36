import type { AccessPreview } from "@hub/contract/row-access.ts";
import { useApi } from "../../../api/use-api.ts";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "./access.module.css";

type Change = { tags: string[]; give: string[]; take: string[] } | null;

/** What a change opens, before it is saved. */
export function AccessEffect({ row, change }: { row: string; change: Change }) {
  const tags = change?.tags ?? [];
  const preview = useApi(
    "GET /manager/api/rows/{row}/access/preview",
    { params: { row }, query: tags.length === 0 ? {} : { tags: tags.join(",") } },
    { isOn: change !== null },
  );
  if (change === null) return null;
  if (preview.error !== null) return <p className={styles.bad}>{preview.error.message}</p>;
  if (preview.data === undefined) return <p className={styles.effect}>Reading what this opens…</p>;
  const { give, take } = change;
  return (
    <div className={styles.effect} role="status">
      {give.length > 0 && (
        <>
          <p>
            {give.length === 1
              ? "The new person gets the tag "
              : `${give.length} people get the tag `}
            <code>{preview.data.own_tag}</code>
            {", which opens:"}
          </p>
          <ul>
            <li>this row</li>
            <Opened what="row" of={preview.data.rows} />
            <Opened what="workflow" of={preview.data.workflows} />
            <Opened what="approval" of={preview.data.approvals} />
          </ul>
        </>
      )}
      {preview.data.tags.map(({ name, users }) => (
        <p key={name}>
          {name === "everyone"
            ? `Every user sees the row: ${formatNumber(users)}.`
            : `${formatNumber(users)} active ${users === 1 ? "user has" : "users have"} the tag ${name}.`}
        </p>
      ))}
      {take.length > 0 && (
        <p>{`${take.length === 1 ? "One person loses" : `${take.length} people lose`} the tag of this row.`}</p>
      )}
    </div>
  );
}

function Opened({ what, of: { first, total } }: { what: string; of: AccessPreview["rows"] }) {
  if (total === 0) return null;
  const names = first.map(({ name }) => name).join(", ");
  const more = total - first.length;
  return (
    <li>
      {`${formatNumber(total)} ${total === 1 ? what : `${what}s`}: `}
      <bdi>{names}</bdi>
      {more > 0 && ` and ${formatNumber(more)} more`}
    </li>
  );
}
