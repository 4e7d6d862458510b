import type { Lease, Leases, TokenRecord, TokenStore } from '../../../src/ports/store.ts';

/** A token store and leases that do what their contract says and no more, shared by several "processes". */
export interface MemoryTokenStore {
  readonly tokens: TokenStore;
  readonly leases: Leases;
  /** The row as it is stored. */
  row(connection: string): TokenRecord | undefined;
}

export function memoryTokenStore(): MemoryTokenStore {
  const rows = new Map<string, TokenRecord>();
  const held = new Map<string, Lease & { readonly until: number }>();
  const fences = new Map<string, number>();
  const isOurs = (lease: Lease) => {
    const now = held.get(lease.name);
    return now?.owner === lease.owner && now.fence === lease.fence;
  };
  return {
    row: (connection) => rows.get(connection),
    tokens: {
      get: async (connection) => structuredClone(rows.get(connection)),
      replace: async (seen, next) => {
        const stored = rows.get(next.connection);
        if (stored?.generation !== seen?.generation || stored?.state !== seen?.state) return false;
        rows.set(next.connection, structuredClone(next));
        return true;
      },
    },
    leases: {
      take: async (name, owner, ttlMs, now) => {
        const present = held.get(name);
        if (present !== undefined && present.until > now && present.owner !== owner) return undefined;
        const fence = (fences.get(name) ?? 0) + 1;
        fences.set(name, fence);
        held.set(name, { name, owner, fence, until: now + ttlMs });
        return { name, owner, fence };
      },
      renew: async (lease, ttlMs, now) => {
        if (!isOurs(lease)) return false;
        held.set(lease.name, { ...lease, until: now + ttlMs });
        return true;
      },
      release: async (lease) => {
        if (isOurs(lease)) held.delete(lease.name);
      },
      holder: async (name, now) => {
        const present = held.get(name);
        return present && present.until > now ? { owner: present.owner, until: present.until } : undefined;
      },
    },
  };
}
