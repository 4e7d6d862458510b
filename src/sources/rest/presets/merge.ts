import { lifecycleSection } from '../../kit/employment-status.ts';
import { plainDates, type RestPreset } from './preset.ts';

/** Merge, unified HRIS API: a cache of the real HR system, so the read first checks whether the cache is complete. */
export const merge: RestPreset = {
  name: 'merge',
  config: {
    baseUrl: 'https://api.merge.dev/api/hris/v1',
    path: '/employees',
    query: { expand: 'employments,groups,manager,work_location' },
    items: 'results',
    key: 'id',
    paging: { style: 'cursor', cursor: 'cursor', limit: 'page_size', size: 100, next: 'next' },
    ready: {
      path: '/sync-status',
      query: { page_size: 100 },
      items: 'results',
      where: { model_name: 'Employee' },
      expect: { status: 'DONE', last_sync_result: 'DONE', is_initial_sync: false },
      unchanged: ['last_sync_finished'],
    },
    fields: {
      jobTitle: { from: 'employments', latest: 'effective_date', take: 'job_title' },
      department: { from: 'groups', where: { type: 'DEPARTMENT' }, take: 'name' },
      ...plainDates('hire_date', 'start_date', 'termination_date', 'date_of_birth'),
    },
    status: {
      from: 'employment_status',
      map: { ACTIVE: 'active', PENDING: 'prehire', INACTIVE: 'terminated' },
    },
    delta: { query: { modified_after: '{since}' } },
    // The smallest plan allows 100 requests a minute.
    limits: { requestsPerSecond: 1.5 },
    holds: { terminated: 'always', future: 'always' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: merge
  # baseUrl: https://api-eu.merge.dev/api/hris/v1      # for accounts in the EU
  auth: { kind: bearer, token: "\${env:MERGE_API_KEY}" }
  headers: { x-account-token: "\${env:MERGE_ACCOUNT_TOKEN}" }
`,
    mapping: `mapping:
  identification: employee_number              # or remote_id, the id in the HR system behind Merge
  firstName: first_name
  lastName: last_name
  email: { from: work_email, transform: [trim, lowercase] }
  job: jobTitle
  area: department
  phoneNumber: mobile_phone_number
  orgEntryDate: start_date

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'start_date', leaveDate: 'termination_date' })}`,
    secrets: {
      MERGE_API_KEY: 'an API key of the Merge account',
      MERGE_ACCOUNT_TOKEN: 'the token of the linked account, one per HR system',
    },
    steps: [
      'In Merge, take an API key, and the account token of the linked account.',
      'Let the linked account sync Employee, Employment, Group and Location, and no more.',
    ],
  },
};
