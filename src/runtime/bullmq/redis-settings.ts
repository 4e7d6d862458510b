/** Where Redis is and how to get in. Secrets are in the clear: never log or show it. */
export type RedisSettings = RedisAccess &
  (
    | { readonly kind: 'single'; readonly host: string; readonly port: number }
    | {
        readonly kind: 'sentinel';
        readonly sentinels: readonly RedisNode[];
        /** What the sentinels call the master. */
        readonly master: string;
        readonly sentinelUsername?: string;
        readonly sentinelPassword?: string;
      }
    | { readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] }
  );

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

export interface RedisAccess {
  /** Begins every key. Deployments on different stores that share a Redis need different ones. */
  readonly prefix: string;
  readonly username?: string;
  readonly password?: string;
  /** Number of the database; a cluster has only 0. */
  readonly db: number;
  /** Present: TLS. `ca` is a certificate in PEM that is trusted besides the system's. */
  readonly tls?: { readonly ca?: string };
}

/** The prefix in the form that keeps all keys of a cluster in one slot, as the queue's scripts need it. */
export function keyPrefix({ prefix }: RedisAccess): string {
  return prefix.includes('{') ? prefix : `{${prefix}}`;
}
