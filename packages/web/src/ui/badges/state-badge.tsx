import styles from "./status-badge.module.css";

const tones = {
  good: styles.success,
  warn: styles.denied,
  bad: styles.error,
  off: styles.cancelled,
  busy: styles.running,
} as const;
export type StateTone = keyof typeof tones;

/** A state of something, by colour and by word. */
export function StateBadge({ tone, text }: { tone: StateTone; text: string }) {
  return <span className={`${styles.badge} ${tones[tone]}`}>{text}</span>;
}
