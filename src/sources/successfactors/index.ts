import type { Source, SourceBase, SourceCapabilities } from '../../ports/source.ts';
import { statusField } from '../../source-kit/employment-status.ts';
import { defineKind } from '../../source-kit/kind.ts';
import { openSuccessFactorsAuthority } from './authority.ts';
import { readPeople } from './read.ts';
import { SuccessFactorsConfig } from './schema.ts';
import { successFactorsStarter } from './starter.ts';
import { personStatusInputs, userStatusInputs } from './to-employee.ts';

const capabilities: SourceCapabilities = { delta: true, point: true, terminated: 'always', future: 'configurable' };

/** SAP SuccessFactors: people with their employments, or users, by OData v2. */
export const successfactors = defineKind({
  kind: 'successfactors',
  title: 'SAP SuccessFactors people (PerPerson) or users, by OData v2',
  capabilities,
  config: SuccessFactorsConfig,
  starters: [successFactorsStarter],
  open: openSuccessFactors,
});

function openSuccessFactors(config: SuccessFactorsConfig, base: SourceBase): Source {
  const authority = openSuccessFactorsAuthority(config, base);
  return {
    kind: 'successfactors',
    capabilities,
    derives: { [statusField]: config.entity === 'User' ? userStatusInputs : personStatusInputs },
    read: (request, io) => readPeople(config, authority, request, io),
    // The fields that the user may see are known only after a read.
    fields: async () => undefined,
  };
}
