import styles from "./status-badge.module.css";

const tones = {
  good: styles.success,
  warn: styles.denied,
  bad: styles.error,
  off: styles.cancelled,
} as const;

/** A state of something, by colour and by word. */
export function StateBadge({ tone, text }: { tone: keyof typeof tones; text: string }) {
  return <span className={`${styles.badge} ${tones[tone]}`}>{text}</span>;
}
