import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source hibob`. */
export const hibobStarter: SourceStarter = {
  name: 'hibob',
  source: `# All people whom the service user may see (docs/sources/hibob.md).
source:
  kind: hibob
  serviceUser: "\${env:HIBOB_SERVICE_USER}"
  token: "\${env:HIBOB_TOKEN}"
  # fields: [root.id, root.email, ...]       # field ids; the usual ones unless listed
  # statuses: { garden leave: terminated }   # where a lifecycle status is not what it looks like
`,
  mapping: `# Field of the platform: field of HiBob. Lists (department, title) are ids; their names are in humanReadable.
mapping:
  identification: root.id                    # or work.employeeIdInCompany
  firstName: root.firstName
  lastName: root.surname
  email: { from: root.email, transform: [trim, lowercase] }
  area: humanReadable.work.department
  orgEntryDate: work.startDate
  # job: humanReadable.work.title            # never shown by the platform, so compared with what was written last
  # customFields: { 1: work.reportsTo.email }

# prehire and unknown are in neither list: nothing is done to them.
lifecycle:
  status: rollcallStatus
  active: [active, leave, suspended]
  leaver: [terminated]
  hireDate: work.startDate
  leaveDate: internal.terminationDate
`,
  samples: [],
  secrets: { HIBOB_SERVICE_USER: 'the ID of the service user', HIBOB_TOKEN: 'its token' },
  steps: [
    'In HiBob, make a service user (Settings > Integrations > Automation > Service users), and note its ID and token.',
    'Put it into a permission group of its own that may view the fields you map, of active and of inactive people.',
  ],
};
