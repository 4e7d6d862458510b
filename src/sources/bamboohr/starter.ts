import type { SourceStarter } from '../../ports/source.ts';

const secrets = { BAMBOOHR_KEY: 'the API key of a BambooHR user whose access level shows the fields you map' };

const lifecycle = `
# Derived from status, employment status and dates. Prehire and unknown are in neither list: these people are not changed.
lifecycle: { status: rollcallStatus, active: [active, leave, suspended], leaver: [terminated] }
`;

const datasets: SourceStarter = {
  name: 'bamboohr',
  source: `# The employee dataset of BambooHR, with an API key (docs/sources/bamboohr.md).
source:
  kind: bamboohr
  company: acme                                  # acme.bamboohr.com
  auth: { kind: basic, username: "\${env:BAMBOOHR_KEY}", password: x }
  api: datasets                                  # or employees (OAuth), or report (old, but has every field)
  key: eeid                                      # identifies an employee; employeeNumber may be empty
  # Names differ between accounts. The run is held, and names the field, if no record has one of them.
  fields:
    [employeeNumber, firstName, lastName, email, jobInformationJobTitle, jobInformationDepartment,
     jobInformationLocation, supervisorEid]
  status:
    # Employment statuses of your account, except normal work. Terminated is already known.
    map: { Maternity Leave: leave, Terminated: terminated }
`,
  mapping: `# Field of the platform: field of the dataset.
mapping:
  identification: employeeNumber
  firstName: firstName
  lastName: lastName
  email: { from: email, transform: [trim, lowercase] }
  area: jobInformationDepartment
  orgEntryDate: hireDate
  # job: jobInformationJobTitle                  # the platform never shows it, so it is compared with the last write
${lifecycle}`,
  secrets,
  steps: [
    'Create a BambooHR user for Rollcall with an access level that only views the fields you map, and an API key for it.',
  ],
};

const report: SourceStarter = {
  name: 'bamboohr-report',
  source: `# A custom report of BambooHR, with an API key (docs/sources/bamboohr.md).
source:
  kind: bamboohr
  company: acme                                  # acme.bamboohr.com
  auth: { kind: basic, username: "\${env:BAMBOOHR_KEY}", password: x }
  api: report
  # supervisorEId is the manager's id; supervisorId is the manager's employee number.
  fields: [employeeNumber, firstName, lastName, workEmail, jobTitle, department, division, location, supervisorEId]
  status:
    # Employment statuses of your account, except normal work. Terminated is already known.
    map: { Maternity Leave: leave, Terminated: terminated }
`,
  mapping: `# Field of the platform: field of the report.
mapping:
  identification: employeeNumber
  firstName: firstName
  lastName: lastName
  email: { from: workEmail, transform: [trim, lowercase] }
  area: department
  orgEntryDate: hireDate
  # job: jobTitle                                # the platform never shows it, so it is compared with the last write
${lifecycle}`,
  secrets,
  steps: datasets.steps,
};

export const bamboohrStarters: readonly SourceStarter[] = [datasets, report];
