import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { statusField } from '../kit/status.ts';
import { HibobConfig } from './config.ts';
import { filterField, maxAnswerBytes, readHibob } from './read.ts';
import { statusInputs } from './to-person.ts';

/** HiBob, by `POST /people/search` and a service user. */
export const hibob = defineKind({
  kind: 'hibob',
  title: 'HiBob people, by a service user',
  capabilities: { delta: false, point: true, terminated: 'configurable', future: 'always' },
  config: HibobConfig,
  folder: import.meta.dirname,
  open(config, base) {
    const { serviceUser: username, token: password, limits, tls } = config;
    const authority = openAuthority({ kind: 'basic', username, password }, base, limits.timeout, tls);
    return {
      derives: { [statusField]: statusInputs },
      looksUp: (field) => filterField(field) !== undefined,
      read: readOverHttp(config, authority, (by) => readHibob(config, by), { maxBytes: maxAnswerBytes }),
    };
  },
});
