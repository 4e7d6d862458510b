import { lifecycleSection } from '../../kit/employment-status.ts';
import { plainDates, type RestPreset } from './preset.ts';

/** UKG Pro (UltiPro): employments and people are two lists, which are joined. */
export const ukg: RestPreset = {
  name: 'ukg',
  config: {
    path: '/personnel/v1/employment-details',
    items: '.',
    key: ['employeeID', 'companyID'],
    // The largest page size is not proven, so a short page proves nothing. The read ends with an empty one.
    paging: { style: 'page', size: 200 },
    join: {
      path: '/personnel/v1/person-details',
      items: '.',
      key: ['employeeId', 'companyId'],
      by: ['employeeID', 'companyID'],
      as: 'person',
      // There is no total. A person without an employment shows that a record was missed between pages.
      each: true,
      // The record also holds a social security number, which is not read.
      keep: [
        'personId',
        'userName',
        'firstName',
        'middleName',
        'lastName',
        'preferredName',
        'emailAddress',
        'addressCountry',
      ],
    },
    expect: ['person', 'employeeStatusCode'],
    fields: {
      ...plainDates('originalHireDate', 'lastHireDate', 'dateOfTermination'),
    },
    status: {
      from: 'employeeStatusCode',
      map: { A: 'active', L: 'leave', O: 'leave', S: 'suspended', T: 'terminated' },
      hireDate: 'lastHireDate',
    },
    holds: { terminated: 'always', future: 'unknown' },
  },
  starter: {
    source: `source:
  kind: rest
  preset: ukg
  baseUrl: https://service5.ultipro.com        # the service address of your tenant
  auth: { kind: basic, username: "\${env:UKG_USER}", password: "\${env:UKG_PASSWORD}" }
  headers: { us-customer-api-key: "\${env:UKG_CUSTOMER_API_KEY}" }
  # status: { map: { R: terminated } }         # "released": unknown, and so left alone, unless you say what it means
`,
    mapping: `# A person who works for two companies has two records: then scope picks the one that counts.
mapping:
  identification: employeeNumber
  firstName: person.firstName
  lastName: person.lastName
  email: { from: person.emailAddress, transform: [trim, lowercase] }
  job: jobTitle
  area: orgLevel1Code
  orgEntryDate: lastHireDate

# prehire and unknown are in neither list: these people are not changed.
${lifecycleSection({ hireDate: 'lastHireDate', leaveDate: 'dateOfTermination' })}`,
    secrets: {
      UKG_USER: 'the user name of a web service account',
      UKG_PASSWORD: 'its password',
      UKG_CUSTOMER_API_KEY: 'the customer API key',
    },
    steps: [
      'In UKG Pro, have a web service account that may view employment and person details, and nothing else.',
      'Take the customer API key of the tenant, and its service address (service1 to serviceN, .com or .ca).',
    ],
  },
};
