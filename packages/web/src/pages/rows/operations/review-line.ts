/** An operation in a review: of a row, or of something of which there is no row yet. */
export type ReviewLine = {
  key: string;
  /** The method of an API's operation, or another word of what kind it is. */
  hint: string;
  name: string;
  description: string;
  isDestructive: boolean;
  /** New, or what has changed. */
  change: string;
  warnings: readonly string[];
  /** Whether it can be chosen. */
  isOpen: boolean;
};
