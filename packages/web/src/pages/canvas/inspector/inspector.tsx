import { Icon } from "../../../ui/controls/icon.tsx";
import type { ItemProblem } from "../editor/problems/draft-problems.ts";
import type { UnreadTexts } from "../editor/problems/unread-texts.ts";
import { type Body, type Item, isTrigger } from "../graph/body.ts";
import { Connections } from "./connections.tsx";
import { listFieldsOf } from "./fields/item-fields.ts";
import { WebhookAddresses } from "./fields/webhook-addresses.tsx";
import { ItemInput } from "./inputs/item-input.tsx";
import type { ItemField } from "./inputs/node-field-spec.ts";
import styles from "./inspector.module.css";
import type { Apply } from "./inspector-context.ts";
import { findHelpOf } from "./item-help.ts";
import { Naming } from "./naming.tsx";

export type InspectorProps = {
  workflow: string;
  body: Body;
  item: Item;
  problems: readonly ItemProblem[];
  secrets: readonly string[];
  run: string | null;
  apply: Apply;
  onRenamed: (id: string) => void;
  unread: UnreadTexts;
  /** Asks how the draft is run. */
  onRun: () => void;
  /** There is space for the values and the output beside the fields. */
  isWide: boolean;
};

/** The fields of one trigger or node, and where it leads. */
export function Inspector(props: InspectorProps) {
  const { body, item, problems, apply } = props;
  const isOne = isTrigger(body, item.id);
  const fields = listFieldsOf(item.type, isOne);
  const help = findHelpOf(item.type, isOne);
  const more = fields.filter(({ isMore }) => isMore);
  // An operation that is chosen is seldom replaced: its inputs come first.
  const first = fields.find(({ key, kind }) => kind !== "operation" || !item[key]);
  const own = problems.filter(({ id }) => id === item.id);
  const keys = new Set(fields.map(({ key }) => key));
  const rest = own.filter(({ field }) => !keys.has(field[0] ?? ""));
  const needsMore = more.some(
    ({ key }) => own.some(({ field }) => field[0] === key) || item[key] !== undefined,
  );
  const toField = (spec: ItemField) => (
    <ItemInput
      key={`${item.id} ${spec.key}`}
      spec={spec}
      item={item}
      problems={own}
      apply={apply}
    />
  );
  return (
    <>
      {rest.map(({ path, message, hint, severity }) => (
        <p key={path + message} className={styles.problem} data-severity={severity}>
          <Icon name="warning" />
          <span>{`${message} ${hint}`}</span>
        </p>
      ))}
      {help !== null && <p className={styles.help}>{help}</p>}
      <Naming {...props} key={item.id} isTrigger={isOne} />
      <div className={styles.fields}>
        {fields
          .filter(({ isMore }) => !isMore)
          .map((spec) =>
            spec === first ? (
              <div key={spec.key} className={styles.first} data-first-field>
                {toField(spec)}
              </div>
            ) : (
              toField(spec)
            ),
          )}
      </div>
      <Connections {...props} isTrigger={isOne} />
      {isOne && item.type === "webhook" && <WebhookAddresses />}
      {more.length > 0 && (
        <details className={styles.more} open={needsMore}>
          <summary>More</summary>
          <div className={styles.fields}>{more.map(toField)}</div>
        </details>
      )}
    </>
  );
}
