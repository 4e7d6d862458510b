/** Address and access of Redis, in one of its three forms. */
export type RedisSettings = RedisAccess &
  (
    | ({ readonly kind: 'single' } & RedisNode)
    | {
        readonly kind: 'sentinel';
        readonly sentinels: readonly RedisNode[];
        /** Name of the master in the sentinels. */
        readonly master: string;
        readonly sentinelUsername?: string;
        readonly sentinelPassword?: HiddenPassword;
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
  readonly password?: HiddenPassword;
  /** Number of the database. A cluster has only 0. */
  readonly db: number;
  /** Enables TLS when present. `ca` is a PEM certificate that is trusted in addition to the system's. */
  readonly tls?: { readonly ca?: string };
}

/** Shows its value only on request: to the connection, and to nothing else. */
export interface HiddenPassword {
  reveal(): string;
}
