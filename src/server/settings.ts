import { type Access, type AccessRole, accessRoles, type Grant } from '../core/guard/access.ts';
import type { WebhookKind, WebhookWay } from '../core/setup/webhook-ways.ts';

/** A group of the identity provider, with the scope of its role. */
export type ScopedGroup = string | (Omit<Grant, 'role'> & { readonly group: string });

/** An identity provider, and which of its groups have which role. `*`: every user. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  readonly nameClaim: string;
  readonly groupsClaim: string;
  readonly roles: Readonly<Partial<Record<AccessRole, readonly ScopedGroup[]>>>;
  /** Its name on the page. */
  readonly label: string;
}

export interface WebhookSettings extends WebhookWay {
  readonly kind: WebhookKind;
  readonly secret: string;
  /** The shortest time between full reads that messages without names request. */
  readonly minEveryMs: number;
}

export interface ServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tokens: readonly (Grant & { readonly name: string; readonly token: string })[];
  /** The address of this server for browsers, without a trailing slash. */
  readonly publicUrl?: string;
  readonly openId?: OpenIdSettings;
  /** The role of the links that sign in once. Absent: there are none. */
  readonly signInLink?: AccessRole;
  readonly sessions: { readonly idleMs: number; readonly lifetimeMs: number };
  /** Who may send messages about a sync, by its name. */
  readonly webhooks: ReadonlyMap<string, WebhookSettings>;
  readonly requestsPerMinute: number;
  /** `token`: `/metrics` needs a token. */
  readonly metrics: 'token' | 'open';
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly string[];
  /** `health`: no API and no pages, for workers. `metrics`: nothing else, on a port of its own. */
  readonly serves: 'everything' | 'health' | 'metrics';
}

/** Returns what the user's groups give, all of them together. */
export function accessOf(groups: readonly string[], roles: OpenIdSettings['roles']): Access {
  return accessRoles.flatMap((role) =>
    (roles[role] ?? []).flatMap((entry) => {
      const { group, ...scope } = typeof entry === 'string' ? { group: entry } : entry;
      return group === '*' || groups.includes(group) ? [{ role, ...scope }] : [];
    }),
  );
}
