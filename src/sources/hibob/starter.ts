import type { SourceStarter } from '../../ports/source.ts';
import { lifecycleSection } from '../kit/employment-status.ts';

/** Starter of `rollcall init --source hibob`. */
export const hibobStarter: SourceStarter = {
  name: 'hibob',
  source: `# All people whom the service user may see (docs/sources/hibob.md).
source:
  kind: hibob
  serviceUser: "\${env:HIBOB_SERVICE_USER}"
  token: "\${env:HIBOB_TOKEN}"
  # fields: [root.id, root.email, ...]       # field ids; the default is 14 common ones
  # statuses: { garden leave: terminated }   # meanings that differ from the default
`,
  mapping: `# Field of the platform: field of HiBob. Lists (department, title) are ids; their names are in humanReadable.
mapping:
  identification: root.id                    # or work.employeeIdInCompany
  firstName: root.firstName
  lastName: root.surname
  email: { from: root.email, transform: [trim, lowercase] }
  area: humanReadable.work.department
  orgEntryDate: work.startDate
  # job: humanReadable.work.title            # the platform never shows it, so it is compared with the last write
  # customFields: { 1: work.reportsTo.email }

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'work.startDate', leaveDate: 'internal.terminationDate' })}`,
  secrets: { HIBOB_SERVICE_USER: 'the ID of the service user', HIBOB_TOKEN: 'its token' },
  steps: [
    'In HiBob, create a service user (Settings > Integrations > Automation > Service users), and note its ID and token.',
    'Put it into a separate permission group that may view the fields you map, of active and of inactive people.',
  ],
};
