import type { SourceStarter } from '../../ports/source.ts';
import { lifecycleSection } from '../kit/employment-status.ts';

const secrets = {
  PERSONIO_CLIENT_ID: 'client ID of the API credential',
  PERSONIO_CLIENT_SECRET: 'its secret',
};

const login = `  clientId: "\${env:PERSONIO_CLIENT_ID}"
  clientSecret: "\${env:PERSONIO_CLIENT_SECRET}"
`;

const v2: SourceStarter = {
  name: 'personio',
  source: `# Persons of Personio with their employments (docs/sources/personio.md).
source:
  kind: personio
  api: v2
${login}  # names: false                             # if the credential may not read departments and offices
`,
  mapping: `# Field of the platform: field of Personio. employment is the one that counts today.
mapping:
  identification: id
  firstName: first_name
  lastName: last_name
  email: { from: email, transform: [trim, lowercase] }
  area: department.name
  orgEntryDate: employment.employment_start_date
  # office: office.name                      # written by CSV only
  # job: employment.position.title           # the platform never shows it, so it is compared with the last write
  # customFields: { 1: Personnel no. }       # an attribute of your own, by its label or id (dynamic_305)

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'employment.employment_start_date', leaveDate: 'employment.termination.termination_date' })}`,
  secrets,
  steps: [
    'In Personio, create an API credential (Settings > Integrations > API credentials) that may read persons and employments.',
    'Give it the attributes you map, departments and workplaces, and no more; it needs no right to write.',
  ],
};

const v1: SourceStarter = {
  name: 'personio-v1',
  source: `# Employees of Personio's older API (docs/sources/personio.md).
source:
  kind: personio
  api: v1
${login}  # attributes: [first_name, last_name, email, status, hire_date, termination_date, department, office]
`,
  mapping: `# Field of the platform: attribute of Personio.
mapping:
  identification: id
  firstName: first_name
  lastName: last_name
  email: { from: email, transform: [trim, lowercase] }
  area: department.name
  orgEntryDate: hire_date
  # office: office.name                      # written by CSV only
  # job: position                            # the platform never shows it, so it is compared with the last write
  # customFields: { 1: dynamic_33400 }       # an attribute of your own, by its id or label

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'hire_date', leaveDate: 'termination_date' })}`,
  secrets,
  steps: [
    'In Personio, create an API credential (Settings > Integrations > API credentials) that may read employees.',
    'Under readable employee attributes, select those you map, and status, hire date and termination date.',
  ],
};

export const personioStarters: readonly SourceStarter[] = [v2, v1];
