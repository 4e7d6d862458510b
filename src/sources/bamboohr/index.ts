import { openAuthority } from '../kit/http/authority.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { statusField } from '../kit/status.ts';
import { BamboohrConfig, statusInputs } from './config.ts';
import { maxReportBytes, readBamboohr } from './read.ts';

/** BambooHR employees: by the employee dataset, the list of employees, or a custom report. */
export const bamboohr = defineKind({
  kind: 'bamboohr',
  title: 'BambooHR employees, by the employee dataset, the list of employees or a report',
  capabilities: { delta: true, point: true, terminated: 'always', future: 'always' },
  config: BamboohrConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', 'starter-report.yaml'],
  // Datasets and reports return a thousand people as fast as one.
  capabilitiesOf: ({ api }) => ({ point: api === 'employees' }),
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout);
    // Only a report is one large answer.
    const more = config.api === 'report' ? { maxBytes: maxReportBytes } : {};
    const place = { url: config.baseUrl, limits: config.limits };
    return {
      derives: { [statusField]: statusInputs(config) },
      looksUp: (field) => field === 'employeeId',
      read: readOverHttp(place, authority, (by) => readBamboohr(config, by), more),
    };
  },
});
