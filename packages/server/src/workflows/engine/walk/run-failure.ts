/** Why a run failed, as it is stored and shown. */
export type RunFailure = {
  message: string;
  code: string;
  /** The node that failed, or null if the run failed as a whole. */
  nodeId: string | null;
  severity: string;
};

export function toFailureText({ message, code, nodeId }: RunFailure): string {
  return JSON.stringify({ message, code, node_id: nodeId });
}
