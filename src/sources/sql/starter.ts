import type { SourceStarter } from '../../ports/source.ts';

/** Starter of `rollcall init --source sql`. */
export const sqlStarter: SourceStarter = {
  name: 'sql',
  source: `source:
  kind: sql
  # postgres://user:password@host:5432/database, mysql://… or sqlite:./hr.db. A server on another machine must have a
  # certificate; ?sslrootcert=./ca.pem names your own authority
  url: \${env:HR_DATABASE_URL}
  # One row for each employee, leavers too. Cast timestamps to dates, and give each column a unique name.
  query: |
    select employee_id, first_name, last_name, work_email, department, hire_date, end_date, status
    from hr.employees
  key: employee_id                           # the column that identifies an employee
  # statementTimeout: 5m
`,
  mapping: `# Field of the platform: column of the query.
mapping:
  identification: employee_id
  firstName: first_name
  lastName: last_name
  email: { from: work_email, transform: [trim, lowercase] }
  area: department
  orgEntryDate: hire_date
  # job: title                             # the platform never shows it, so it is compared with the last write

# Who works here and who left. A status in neither list changes nothing.
lifecycle: { status: status, active: [active, leave], leaver: [terminated], hireDate: hire_date, leaveDate: end_date }
`,
  secrets: { HR_DATABASE_URL: 'the url of the HR database, with a user that may only read' },
  steps: [
    'Create a database user that may read what the query reads and nothing else.',
    'Put its url into HR_DATABASE_URL; percent-encode @ : / ? # and % in the password.',
    'Put your tables and columns into the query, and your status values into lifecycle.',
  ],
};
