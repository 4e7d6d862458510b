/**
 * What this process counts as it happens; everything else is read from the store when it is asked for. Nothing given here
 * names a person: operations are path templates.
 */
export interface Metrics {
  /** One exchange with a platform has ended, a second sending of the same call counted for itself. */
  requestEnded(request: RequestSeen): void;
  /** A refresh token was presented. */
  tokenPresented(connection: string, outcome: string): void;
}

export interface RequestSeen {
  readonly connection: string;
  /** `GET /os-api/public-api/v1/users/{identification}`. */
  readonly operation: string;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly tookMs: number;
  /** How long it waited for its turn: rate and concurrency of the connection. */
  readonly waitedMs: number;
}

/** For processes that nobody asks. */
export const noMetrics: Metrics = { requestEnded: () => {}, tokenPresented: () => {} };
