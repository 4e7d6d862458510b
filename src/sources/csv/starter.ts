import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source csv`. All people are synthetic. */
export const csvStarter: SourceStarter = {
  name: 'csv',
  source: `source: { kind: csv, path: ./employees.csv, complete: stable }
`,
  mapping: `# Field of the platform: column of the file.
mapping:
  identification: employee_id
  firstName: first_name
  lastName: last_name
  email: { from: work_email, transform: [trim, lowercase] }
  area: department
  orgEntryDate: { from: hire_date, format: dd/MM/yyyy }
  # job: title                             # the platform never shows it, so it is compared with the last write
  # account: { value: Acme }
  # seniority: { expression: "$number(level) > 5 ? 'Senior' : 'Junior'" }
  # customFields: { 1: cost_center }

# Who works here and who left. A status in neither list changes nothing.
lifecycle:
  status: status
  active: [active, leave]
  leaver: [terminated]
  hireDate: hire_date                      # later than an old end_date: hired again
  leaveDate: end_date
  dateFormat: dd/MM/yyyy
`,
  samples: [
    {
      path: 'employees.csv',
      text: `employee_id,first_name,last_name,work_email,department,hire_date,status,end_date
1001,Ana,Álvarez,ana.alvarez@example.com,Finance,04/03/2019,active,
1002,Bruno,Okafor,bruno.okafor@example.com,Sales,17/08/2021,active,
1003,Chloé,"Müller, Dr.",chloe.mueller@example.com,Engineering,01/02/2023,leave,
1004,Darío,Sato,dario.sato@example.com,Sales,12/11/2018,terminated,30/06/2024
`,
    },
  ],
  secrets: {},
  steps: ['Put your columns into rollcall.yaml. The sample employees.csv shows their meaning.'],
};
