import type { Source, SourceBase, SourceCapabilities } from '../../ports/source.ts';
import { statusField } from '../../source-kit/employment-status.ts';
import { openAuthority } from '../../source-kit/http/authority.ts';
import { defineKind } from '../../source-kit/kind.ts';
import { readUsers } from './read.ts';
import { ScimConfig } from './schema.ts';
import { scimStarter } from './starter.ts';

const capabilities = { delta: true, point: true, terminated: 'unknown', future: 'unknown' } as const;

/** Users of a SCIM 2.0 service (RFC 7643, RFC 7644; cursors by RFC 9865). */
export const scim = defineKind({
  kind: 'scim',
  title: 'users of a SCIM 2.0 service, by index or cursor paging',
  capabilities,
  config: ScimConfig,
  starters: [scimStarter],
  capabilitiesOf,
  open: openScim,
});

function capabilitiesOf({ filters }: ScimConfig): SourceCapabilities {
  return { ...capabilities, delta: filters, point: filters };
}

function openScim(config: ScimConfig, base: SourceBase): Source {
  const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
  return {
    kind: 'scim',
    capabilities: capabilitiesOf(config),
    derives: { [statusField]: ['active'], workEmail: ['emails'] },
    read: (request, io) => readUsers(config, authority, request, io),
    // Servers return the attributes that a person has, so they are known only after a read.
    fields: async () => undefined,
  };
}
