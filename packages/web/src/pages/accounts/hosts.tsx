import styles from "./accounts.module.css";

/** Where an account is used. */
export function Hosts({ hosts }: { hosts: readonly string[] }) {
  return (
    <>
      {hosts.map((host, at) => (
        <span key={host}>
          {at > 0 && ", "}
          <bdi className={styles.host}>{host}</bdi>
        </span>
      ))}
    </>
  );
}
