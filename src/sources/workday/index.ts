import type { SourceBase } from '../../ports/source.ts';
import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind, type OpenedSource } from '../kit/kind.ts';
import { statusField } from '../kit/status.ts';
import { type RaasConfig, type SoapConfig, WorkdayConfig } from './config.ts';
import { maxReportBytes, readReport } from './raas/read.ts';
import { reportFields, statusColumns } from './raas/to-person.ts';
import { idTypes, readWorkers } from './soap/read.ts';
import { statusInputs } from './soap/to-person.ts';

/** Workday: a custom report (RaaS), or all workers by the web service (SOAP). */
export const workday = defineKind({
  kind: 'workday',
  title: 'Workday workers, by a report (RaaS) or the web service (SOAP)',
  capabilities: { delta: true, point: true, terminated: 'configurable', future: 'configurable' },
  config: WorkdayConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', 'starter-soap.yaml'],
  capabilitiesOf: ({ api }) =>
    api === 'raas' ? { delta: false, point: false } : { terminated: 'always', future: 'always' },
  open: (config, base) => (config.api === 'raas' ? openReport(config, base) : openWorkers(config, base)),
});

function openReport(config: RaasConfig, base: SourceBase): OpenedSource {
  const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
  return {
    derives: { [statusField]: statusColumns(config) },
    read: readOverHttp(config, authority, (by) => readReport(config, by), { maxBytes: maxReportBytes }),
    fields: async () => reportFields(config),
  };
}

function openWorkers(config: SoapConfig, base: SourceBase): OpenedSource {
  // User and password are in the envelope (WS-Security), because Workday's SOAP has no HTTP login.
  const auth = config.auth.kind === 'basic' ? ({ kind: 'none' } as const) : config.auth;
  const authority = openAuthority(auth, base, config.limits.timeout, config.tls);
  return {
    derives: { [statusField]: statusInputs },
    looksUp: (field) => Object.hasOwn(idTypes, field),
    read: readOverHttp(config, authority, (by) => readWorkers(config, by)),
  };
}
