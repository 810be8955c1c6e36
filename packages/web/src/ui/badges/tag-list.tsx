import { Link } from "@tanstack/react-router";
import styles from "./tag-list.module.css";

/** Tags that fit into one line of a table. */
const shownMax = 3;

type Props = {
  tags: readonly string[];
  /** All of them, in several lines. Without it the first ones, and how many more there are. */
  isWhole?: boolean;
  /** Without links to what the tags open, for users who may not see that. */
  isPlain?: boolean;
  none?: string;
  /** How many there are, if `tags` are only the first ones. */
  count?: number;
};

/** Tags, each with a link to what it opens. */
export function TagList({ tags, isWhole = false, isPlain = false, none = "–", count }: Props) {
  if (tags.length === 0) return <span className={styles.none}>{none}</span>;
  const shown = isWhole || tags.length <= shownMax + 1 ? tags : tags.slice(0, shownMax);
  const rest = (count ?? tags.length) - shown.length;
  return (
    <span
      className={isWhole ? `${styles.tags} ${styles.wrap}` : styles.tags}
      title={tags.join(", ")}
    >
      {shown.map((tag) =>
        isPlain ? (
          <bdi key={tag} className={styles.tag}>
            {tag}
          </bdi>
        ) : (
          <Link key={tag} to="/admin/tags/$tag" params={{ tag }} className={styles.tag}>
            <bdi>{tag}</bdi>
          </Link>
        ),
      )}
      {rest > 0 && <span className={styles.rest}>{`+${rest}`}</span>}
    </span>
  );
}
