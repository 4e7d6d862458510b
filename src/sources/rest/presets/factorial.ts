import { plainDates, type RestPreset } from './preset.ts';

/** Factorial. The path carries the version; ids are text since 2026-07-01, and read digit by digit before. */
export const factorial: RestPreset = {
  name: 'factorial',
  config: {
    baseUrl: 'https://api.factorialhr.com/api',
    path: '/2026-07-01/resources/employees/employees',
    items: 'data',
    key: 'id',
    paging: {
      style: 'after-id',
      size: 100,
      after: 'after_id',
      limit: 'limit',
      id: 'id',
      next: 'meta.end_cursor',
      hasMore: 'meta.has_next_page',
    },
    fields: {
      ...plainDates('terminated_on', 'birthday_on'),
    },
    // There is no status: a person without a last day is employed.
    status: { terminationDate: 'terminated_on' },
    holds: { terminated: 'unknown', future: 'unknown' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: factorial
  # path: /2026-04-01/resources/employees/employees    # another version of the API
  auth: { kind: headers, headers: { x-api-key: "\${env:FACTORIAL_API_KEY}" } }
`,
    mapping: `mapping:
  identification: identifier                   # the employee's code; or id
  firstName: first_name
  lastName: last_name
  email: { from: email, transform: [trim, lowercase] }

# prehire and unknown are in neither list: these people are not changed.
lifecycle: { status: rollcallStatus, active: [active, leave, suspended], leaver: [terminated], leaveDate: terminated_on }
`,
    secrets: { FACTORIAL_API_KEY: 'an API key of the company' },
    steps: [
      'In Factorial, make an API key. It may do more than read: keep it in the environment, not in a file.',
      'If your answers hold a first day of work, name it in rollcall.yaml: status.hireDate',
    ],
  },
};
