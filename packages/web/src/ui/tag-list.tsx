import { Link } from "@tanstack/react-router";
import styles from "./tag-list.module.css";

type Props = {
  tags: readonly string[];
  /** All of them, in several lines. Without it as many as fit, in one line. */
  isWhole?: boolean;
  none?: string;
};

/** Tags, each with a link to what it opens. For pages of admins. */
export function TagList({ tags, isWhole = false, none = "–" }: Props) {
  if (tags.length === 0) return <span className={styles.none}>{none}</span>;
  return (
    <span
      className={isWhole ? `${styles.tags} ${styles.wrap}` : styles.tags}
      title={tags.join(", ")}
    >
      {tags.map((tag) => (
        <Link key={tag} to="/admin/tags/$tag" params={{ tag }} className={styles.tag}>
          {tag}
        </Link>
      ))}
    </span>
  );
}
