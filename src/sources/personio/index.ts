import { statusField } from '../../core/person/lifecycle.ts';
import type { SourceBase } from '../../ports/source.ts';
import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind, type OpenedSource } from '../kit/kind.ts';
import { PersonioConfig, type V1Config, type V2Config } from './config.ts';
import { openV1Authority, readV1 } from './v1/read.ts';
import { readV2 } from './v2/read.ts';

/** Personio, by an API credential. `api` selects one of its two APIs. */
export const personio = defineKind({
  kind: 'personio',
  title: 'Personio employees, by an API credential (v1 or v2)',
  capabilities: { delta: true, point: true, terminated: 'always', future: 'always' },
  config: PersonioConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', 'starter-v1.yaml'],
  capabilitiesOf: ({ api }) => ({ delta: api === 'v2' }),
  open: (config, base) => (config.api === 'v1' ? openV1(config, base) : openV2(config, base)),
});

const employmentInputs = [
  'employment.status',
  'employment.employment_start_date',
  'employment.employment_end_date',
  'employment.termination.termination_date',
];

function openV1(config: V1Config, base: SourceBase): OpenedSource {
  const authority = openV1Authority(config, base);
  return {
    derives: { [statusField]: ['status', 'hire_date', 'termination_date'] },
    looksUp: (field) => field === 'email',
    read: readOverHttp(config, authority, (by) => readV1(config, by)),
  };
}

function openV2(config: V2Config, base: SourceBase): OpenedSource {
  const { clientId, clientSecret, limits, tls } = config;
  const tokenUrl = new URL('/v2/auth/token', config.url).href;
  const auth = { kind: 'client-credentials', tokenUrl, clientId, clientSecret, clientAuth: 'body' } as const;
  const authority = openAuthority(auth, base, limits.timeout, tls);
  return {
    derives: { [statusField]: config.employments ? ['status', ...employmentInputs] : ['status'] },
    looksUp: (field) => field === 'id',
    read: readOverHttp(config, authority, (by) => readV2(config, by)),
  };
}
