import { lifecycleSection } from '../../kit/employment-status.ts';
import { plainDates, type RestPreset } from './preset.ts';

/** Rippling, `GET /workers/` (OpenAPI of April 2026). */
export const rippling: RestPreset = {
  name: 'rippling',
  config: {
    baseUrl: 'https://rest.ripplingapis.com',
    path: '/workers/',
    // Names exist only inside the expanded user.
    query: { expand: 'user,manager,department,employment_type,custom_fields', order_by: 'id' },
    items: 'results',
    key: 'id',
    paging: { style: 'next-link', next: 'next_link' },
    hidden: '__meta.redacted_fields',
    expect: ['user', 'status'],
    fields: {
      ...plainDates('start_date', 'end_date'),
      workPhone: { from: 'user.phone_numbers', where: { type: 'WORK' }, take: 'value' },
      mobilePhone: { from: 'user.phone_numbers', where: { type: 'MOBILE' }, take: 'value' },
    },
    status: {
      from: 'status',
      map: { INIT: 'prehire', HIRED: 'prehire', ACCEPTED: 'prehire', ACTIVE: 'active', TERMINATED: 'terminated' },
    },
    delta: { query: { filter: "updated_at gt '{since}'" } },
    point: { work_email: { query: { filter: "work_email eq '{value}'" } } },
    holds: { terminated: 'always', future: 'always' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: rippling
  auth: { kind: bearer, token: "\${env:RIPPLING_TOKEN}" }
`,
    mapping: `mapping:
  identification: work_email                   # or user.number, the employee number
  firstName: user.name.given_name
  lastName: user.name.family_name
  email: { from: work_email, transform: [trim, lowercase] }
  job: title
  area: department.name
  phoneNumber: mobilePhone
  orgEntryDate: start_date

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'start_date', leaveDate: 'end_date' })}`,
    secrets: { RIPPLING_TOKEN: 'an API token with the scope workers.read' },
    steps: ['In Rippling, make an API token (entitlement API Tier 1) with the scope workers.read and no other.'],
  },
};
