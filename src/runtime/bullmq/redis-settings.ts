/** Address and access of Redis. Holds secrets in clear text: never log or show it. */
export type RedisSettings = RedisAccess &
  (
    | { readonly kind: 'single'; readonly host: string; readonly port: number }
    | {
        readonly kind: 'sentinel';
        readonly sentinels: readonly RedisNode[];
        /** Name of the master in the sentinels. */
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
  /** Prefix of every key. Deployments on different stores that share a Redis need different prefixes. */
  readonly prefix: string;
  readonly username?: string;
  readonly password?: string;
  /** Number of the database. A cluster has only 0. */
  readonly db: number;
  /** Enables TLS when present. `ca` is a PEM certificate that is trusted in addition to the system's. */
  readonly tls?: { readonly ca?: string };
}

/** Returns the prefix in the form that keeps all keys in one slot of a cluster, as the queue's scripts require. */
export function keyPrefix({ prefix }: RedisAccess): string {
  return prefix.includes('{') ? prefix : `{${prefix}}`;
}
