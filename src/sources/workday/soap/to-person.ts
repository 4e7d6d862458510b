import { statusField } from '../../../core/person/lifecycle.ts';
import type { Fields } from '../../kit/pages.ts';
import { plainDate } from '../../kit/status.ts';
import type { SoapConfig } from '../config.ts';
import { employmentStatus, readBoolean } from '../status.ts';
import { all, at, type Element, referenceId, textAt } from './get-workers.ts';

type Read = readonly [name: string, read: (part: Element) => unknown];

/**
 * The fields of a record, by the part of the answer that holds them. A missing part is not visible to the integration
 * user, so its fields are absent. A missing element of a present part may be empty.
 */
const parts: readonly { readonly path: readonly string[]; readonly reads: readonly Read[] }[] = [
  {
    path: ['Worker_Reference'],
    reads: [
      ['wid', (part) => referenceId(part, 'WID')],
      ['employeeId', (part) => referenceId(part, 'Employee_ID')],
      ['contingentWorkerId', (part) => referenceId(part, 'Contingent_Worker_ID')],
      ['workerType', (part) => (referenceId(part, 'Contingent_Worker_ID') === undefined ? 'employee' : 'contingent')],
    ],
  },
  {
    path: ['Worker_Data'],
    reads: [
      ['workerId', (part) => textAt(part, 'Worker_ID')],
      ['userId', (part) => textAt(part, 'User_ID')],
    ],
  },
  {
    path: ['Worker_Data', 'Personal_Data', 'Name_Data'],
    reads: [
      ['firstName', (part) => textAt(part, ...legalName, 'First_Name')],
      ['lastName', (part) => textAt(part, ...legalName, 'Last_Name')],
      ['displayName', (part) => textAt(part, ...legalName, '@Formatted_Name')],
      ['preferredFirstName', (part) => textAt(part, ...preferredName, 'First_Name')],
      ['preferredLastName', (part) => textAt(part, ...preferredName, 'Last_Name')],
    ],
  },
  {
    path: ['Worker_Data', 'Personal_Data', 'Contact_Data'],
    reads: [
      ['workEmail', (part) => textAt(workUse(at(part, 'Email_Address_Data')), 'Email_Address')],
      ['workPhone', (part) => textAt(workUse(at(part, 'Phone_Data')), '@Formatted_Phone')],
    ],
  },
  {
    path: ['Worker_Data', 'Employment_Data', 'Worker_Status_Data'],
    reads: [
      ['active', (part) => readBoolean(textAt(part, 'Active'))],
      ['terminated', (part) => readBoolean(textAt(part, ...termination, 'Terminated'))],
      ['onLeave', (part) => onLeave(part)],
      ['hireDate', (part) => plainDate(textAt(part, 'Hire_Date'))],
      ['originalHireDate', (part) => plainDate(textAt(part, 'Original_Hire_Date'))],
      ['terminationDate', (part) => plainDate(textAt(part, ...termination, 'Termination_Date'))],
      ['endEmploymentDate', (part) => plainDate(textAt(part, 'End_Employment_Date'))],
    ],
  },
];

const legalName = ['Legal_Name_Data', 'Name_Detail_Data'];
const preferredName = ['Preferred_Name_Data', 'Name_Detail_Data'];
const termination = ['Termination_Status_Data'];

const positionReads: readonly Read[] = [
  ['positionId', (part) => textAt(part, 'Position_ID')],
  ['positionTitle', (part) => textAt(part, 'Position_Title')],
  ['jobTitle', (part) => textAt(part, 'Business_Title') ?? textAt(part, 'Position_Title')],
  ['jobProfile', (part) => textAt(part, 'Job_Profile_Summary_Data', 'Job_Profile_Name')],
  ['location', (part) => textAt(part, 'Business_Site_Summary_Data', 'Name')],
  ['managerId', (part) => managerId(part)],
];

/** Fields that a read requests, so that a field that no worker has is noticed. */
export function workerFields({ include }: SoapConfig): readonly string[] {
  return [
    ...parts.flatMap(({ reads }) => reads.map(([name]) => name)),
    ...positionReads.map(([name]) => name),
    ...(include.includes('managementChain') ? ['chainManagerId'] : []),
  ];
}

export const statusInputs = ['active', 'terminated', 'onLeave', 'hireDate', 'terminationDate', 'endEmploymentDate'];

/**
 * Workday omits empty elements and elements that the integration user may not see. A missing element of a present
 * part is null once a worker up to this page has shown the field; before that it is absent: not visible. `today` is a
 * plain date, for the status.
 */
export function openWorkerReader(today: string) {
  const shown = new Set<string>();
  return {
    page(workers: readonly Element[]) {
      const people = workers.map((worker) => toWorker(worker, today));
      for (const person of people) for (const name in person) if (person[name] !== null) shown.add(name);
      return people.map((person) =>
        Object.fromEntries(Object.entries(person).filter(([name, value]) => value !== null || shown.has(name))),
      );
    },
  };
}

/** Reads one `Worker` element as a record, with null for every missing element of a present part. */
function toWorker(worker: Element, today: string): Fields {
  const fields: Record<string, unknown> = {};
  for (const { path, reads } of parts) {
    const part = at(worker, ...path);
    if (part !== undefined) readPart(part, reads, fields);
  }
  const position = primaryPosition(at(worker, 'Worker_Data', 'Employment_Data'));
  if (position !== undefined) readPart(position, positionReads, fields);
  const organizations = organizationsOf(worker, position);
  if (organizations !== undefined) fields.organizations = organizations;
  const chain = at(worker, 'Worker_Data', 'Management_Chain_Data');
  if (chain !== undefined) fields.chainManagerId = chainManagerId(chain) ?? null;
  fields[statusField] = employmentStatus(
    {
      active: fields.active as boolean | null | undefined,
      terminated: fields.terminated as boolean | null | undefined,
      onLeave: fields.onLeave as boolean | null | undefined,
      hireDate: fields.hireDate,
      terminationDate: fields.terminationDate ?? fields.endEmploymentDate,
    },
    today,
  );
  return fields;
}

function readPart(part: Element, reads: readonly Read[], into: Record<string, unknown>): void {
  for (const [name, read] of reads) into[name] = read(part) ?? null;
}

/** Among several leaves, one that is still in progress counts. */
function onLeave(status: Element): boolean | null {
  const said = all(at(status, 'Leave_Status_Data')).map((leave) => readBoolean(textAt(leave, 'On_Leave')));
  if (said.includes(true)) return true;
  return said.includes(false) ? false : null;
}

/**
 * Returns the primary job's position, else that of the only job. Old versions (v21) have it without a job around it.
 */
function primaryPosition(employment: Element): Element | undefined {
  const jobs = all(at(employment, 'Worker_Job_Data'));
  const primary = jobs.find((job) => readBoolean(at(job, '@Primary_Job')) === true);
  const job = primary ?? (jobs.length === 1 ? jobs[0] : undefined);
  return at(job ?? employment, 'Position_Data');
}

/** Returns the manager as of Workday's last change; the first one of several. */
function managerId(position: Element): string | undefined {
  const references = [
    ...all(at(position, 'Manager_as_of_last_detected_manager_change_Reference')),
    ...all(at(position, 'Manager_Reference')),
  ];
  return references.map(workerIdOf).find((id) => id !== undefined);
}

/** The chain goes from the top down: its last element is the direct manager. */
function chainManagerId(chain: Element): string | undefined {
  const supervisory = all(at(chain, 'Worker_Supervisory_Management_Chain_Data', 'Management_Chain_Data'));
  const last = supervisory.at(-1);
  const references = [...all(at(last, 'Manager_Reference')), ...all(at(last, 'Manager', 'Worker_Reference'))];
  return references.map(workerIdOf).find((id) => id !== undefined);
}

function workerIdOf(reference: Element): string | undefined {
  return referenceId(reference, 'Employee_ID') ?? referenceId(reference, 'Contingent_Worker_ID');
}

/**
 * Returns names of organizations by type: `COST_CENTER`, `COMPANY`, `SUPERVISORY`. Those of the primary job take
 * precedence.
 */
function organizationsOf(worker: Element, position: Element): Fields | undefined {
  const lists = [
    at(worker, 'Worker_Data', 'Organization_Data', 'Worker_Organization_Data'),
    at(position, 'Position_Organizations_Data', 'Position_Organization_Data'),
  ];
  if (lists.every((list) => list === undefined)) return undefined;
  const found: Record<string, string> = {};
  for (const organization of lists.flatMap(all)) {
    const data = at(organization, 'Organization_Data');
    const name = textAt(data, 'Organization_Name');
    const type = referenceId(at(data, 'Organization_Type_Reference'), 'Organization_Type_ID');
    if (name !== undefined && type !== undefined) found[type] = name;
  }
  return found;
}

/** Returns the primary value in use for work, else any in use for work. Never returns a private one. */
function workUse(entries: Element): Element | undefined {
  const uses = (entry: Element, mustBePrimary: boolean): boolean =>
    all(at(entry, 'Usage_Data')).some((usage) =>
      all(at(usage, 'Type_Data')).some(
        (type) =>
          referenceId(at(type, 'Type_Reference'), 'Communication_Usage_Type_ID') === 'WORK' &&
          (!mustBePrimary || readBoolean(at(type, '@Primary')) === true),
      ),
    );
  const list = all(entries);
  return list.find((entry) => uses(entry, true)) ?? list.find((entry) => uses(entry, false));
}
