/** What is so at one moment. Nothing in it tells of one person or one row. */
export type Figures = {
  version: string;
  usersByStatus: Readonly<Record<string, number>>;
  sessions: number;
  rows: number;
  pluginProcesses: number;
  startedAt: number;
};
