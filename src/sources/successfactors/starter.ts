import type { SourceStarter } from '../../ports/source.ts';
import { lifecycleSection } from '../kit/employment-status.ts';

/** Starter of `rollcall init --source successfactors`. */
export const successFactorsStarter: SourceStarter = {
  name: 'successfactors',
  source: `# People of Employee Central by OData v2 (docs/sources/successfactors.md).
source:
  kind: successfactors
  url: https://api68.sapsf.eu                # the API server of your data center
  companyId: acmeT1
  auth:
    kind: saml                               # not basic: SAP announced its end for 20 November 2026
    clientId: "\${env:SUCCESSFACTORS_API_KEY}"
    user: rollcall.api
    privateKey: "\${file:secrets/successfactors-private.pem}"
  # entity: User                             # without Employee Central; it has other fields
  # expand: [personalInfoNav, …]             # remove what the user may not read
`,
  mapping: `# Field of the platform: field of the person.
mapping:
  identification: personIdExternal
  firstName: firstName
  lastName: lastName
  email: { from: workEmail, transform: [trim, lowercase] }
  area: department
  orgEntryDate: hireDate
  # job: jobTitle                            # the platform never shows it, so it is compared with the last write
  # customFields: { 1: costCenter, 2: managerId, 3: jobInfo.customString5 }

# Derived from emplStatus, the count of active employments and the dates. Future hires are in neither list.
${lifecycleSection({ hireDate: 'hireDate', leaveDate: 'endDate' })}`,
  secrets: { SUCCESSFACTORS_API_KEY: 'the API key of the OAuth client' },
  steps: [
    'Register an OAuth2 client application (Admin Center) with the certificate of your key pair. Its API key is clientId.',
    'Put the private key into secrets/successfactors-private.pem, readable by Rollcall alone.',
    'Create a technical user with a role that may read the entities of source.expand, and nothing else.',
  ],
};
