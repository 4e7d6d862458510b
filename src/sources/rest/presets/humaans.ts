import { lifecycleSection } from '../../kit/employment-status.ts';
import { plainDates, type RestPreset } from './preset.ts';

/** Humaans, `GET /api/people`. */
export const humaans: RestPreset = {
  name: 'humaans',
  config: {
    baseUrl: 'https://app.humaans.io/api',
    path: '/people',
    items: 'data',
    key: 'id',
    total: 'total',
    paging: { style: 'offset', size: 100, offset: '$skip', limit: '$limit' },
    fields: {
      ...plainDates('employmentStartDate', 'employmentEndDate'),
    },
    // The values of its status are not proven; its dates are.
    status: { hireDate: 'employmentStartDate', terminationDate: 'employmentEndDate' },
    holds: { terminated: 'unknown', future: 'unknown' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: humaans
  auth: { kind: bearer, token: "\${env:HUMAANS_TOKEN}" }
`,
    mapping: `mapping:
  identification: email                        # or id
  firstName: firstName
  lastName: lastName
  email: { from: email, transform: [trim, lowercase] }
  job: jobTitle
  area: department
  orgEntryDate: employmentStartDate

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'employmentStartDate', leaveDate: 'employmentEndDate' })}`,
    secrets: { HUMAANS_TOKEN: 'an API access token with the scopes public:read and private:read' },
    steps: ['In Humaans, make an API access token with the scopes public:read and private:read, and no other.'],
  },
};
