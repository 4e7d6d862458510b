import { defineKind } from '../kit/kind.ts';
import { statusField } from '../kit/status.ts';
import { openSuccessFactorsAuthority } from './authority.ts';
import { SuccessFactorsConfig } from './config.ts';
import { idPaths, readPeople } from './read.ts';
import { personStatusInputs, userStatusInputs } from './to-person.ts';

/** SAP SuccessFactors: people with their employments, or users, by OData v2. */
export const successfactors = defineKind({
  kind: 'successfactors',
  title: 'SAP SuccessFactors people (PerPerson) or users, by OData v2',
  capabilities: { delta: true, point: true, terminated: 'always', future: 'configurable' },
  config: SuccessFactorsConfig,
  folder: import.meta.dirname,
  open(config, base) {
    const authority = openSuccessFactorsAuthority(config, base);
    return {
      derives: { [statusField]: config.entity === 'User' ? userStatusInputs : personStatusInputs },
      looksUp: (field) => Object.hasOwn(idPaths[config.entity], field),
      read: (request, io) => readPeople(config, authority, request, io),
    };
  },
});
