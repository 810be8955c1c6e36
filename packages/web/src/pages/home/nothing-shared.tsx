import { Card } from "../../ui/page/card.tsx";
import { AskForTag, nothingSharedTitle } from "../connectors/ask-for-tag.tsx";
import styles from "./home.module.css";

/** Says why a user sees nothing, and what to do. */
export function NothingShared() {
  return (
    <Card title={nothingSharedTitle}>
      <p className={styles.none}>
        <AskForTag />
      </p>
    </Card>
  );
}
