import type { Source, SourceBase, SourceCapabilities } from '../../ports/source.ts';
import { statusField } from '../../source-kit/employment-status.ts';
import { openAuthority } from '../../source-kit/http/authority.ts';
import { defineKind } from '../../source-kit/kind.ts';
import { readBamboohr } from './read.ts';
import { BamboohrConfig, statusInputs } from './schema.ts';
import { bamboohrStarters } from './starter.ts';

const capabilities: SourceCapabilities = { delta: true, point: true, terminated: 'always', future: 'always' };

/** BambooHR employees: by the employee dataset, the list of employees, or a custom report. */
export const bamboohr = defineKind({
  kind: 'bamboohr',
  title: 'BambooHR employees, by the employee dataset, the list of employees or a report',
  capabilities,
  config: BamboohrConfig,
  starters: bamboohrStarters,
  open: openBamboohr,
});

function openBamboohr(config: BamboohrConfig, base: SourceBase): Source {
  const authority = openAuthority(config.auth, base, config.limits.timeout);
  return {
    kind: 'bamboohr',
    // Datasets and reports return a thousand people as fast as one.
    capabilities: { ...capabilities, point: config.api === 'employees' },
    derives: { [statusField]: statusInputs(config) },
    read: (request, io) => readBamboohr(config, authority, request, io),
    // The fields that the account may see are known only after a read.
    fields: async () => undefined,
  };
}
