import { statusField } from '../../source-kit/employment-status.ts';
import { openAuthority } from '../../source-kit/http/authority.ts';
import { defineKind } from '../../source-kit/kind.ts';
import { statusInputs } from './employment-status.ts';
import { readHibob } from './read.ts';
import { HibobConfig } from './schema.ts';
import { hibobStarter } from './starter.ts';

const kind = 'hibob';
const capabilities = { delta: false, point: true, terminated: 'configurable', future: 'always' } as const;

/** HiBob, by `POST /people/search` and a service user. */
export const hibob = defineKind({
  kind,
  title: 'HiBob people, by a service user',
  capabilities,
  config: HibobConfig,
  starters: [hibobStarter],
  open(config, base) {
    const { serviceUser: username, token: password, limits, tls } = config;
    const authority = openAuthority({ kind: 'basic', username, password }, base, limits.timeout, tls);
    return {
      kind,
      capabilities,
      derives: { [statusField]: statusInputs },
      read: (request, io) => readHibob(config, authority, request, io),
      // The fields that the service user may see are known only after a read.
      fields: async () => undefined,
    };
  },
});
