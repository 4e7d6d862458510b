import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { statusField } from '../kit/status.ts';
import { ScimConfig } from './config.ts';
import { readUsers } from './read.ts';

/** Users of a SCIM 2.0 service (RFC 7643, RFC 7644; cursors by RFC 9865). */
export const scim = defineKind({
  kind: 'scim',
  title: 'users of a SCIM 2.0 service, by index or cursor paging',
  capabilities: { delta: true, point: true, terminated: 'unknown', future: 'unknown' },
  config: ScimConfig,
  folder: import.meta.dirname,
  capabilitiesOf: ({ filters }) => ({ delta: filters, point: filters }),
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
    return {
      derives: { [statusField]: ['active'], workEmail: ['emails'] },
      read: readOverHttp({ ...config, url: config.baseUrl }, authority, (by) => readUsers(config, by)),
    };
  },
});
