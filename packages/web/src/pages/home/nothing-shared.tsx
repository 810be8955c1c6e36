import { useMe } from "../../api/use-me.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { Card } from "../../ui/page/card.tsx";
import styles from "./home.module.css";

/** Says why a user sees nothing, and what to do. */
export function NothingShared() {
  const { user } = useMe();
  return (
    <Card title="Nothing is shared with you yet">
      <p className={styles.none}>
        Connections are shared by tags, and you have no tag that opens one. Ask an admin of this hub
        for a tag, and name the account that you signed in with:
      </p>
      <p className={styles.account}>
        <strong>
          <bdi>{user.email}</bdi>
        </strong>
        <CopyButton text={user.email} what="your e-mail" />
      </p>
    </Card>
  );
}
