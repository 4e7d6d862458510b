import { z } from 'zod';
import { type FieldName, fieldTable, leaderFields } from '../core/person/fields.ts';
import { changeClasses, changeKinds } from '../core/plan/change.ts';
import { decisionWays } from '../core/plan/standing.ts';
import { change } from './changes.ts';
import { count } from './wire.ts';

/* What a request asks for: the bodies of POST. */

const some = z.array(z.string().min(1).max(255)).min(1);
const named = some.max(1000);
const somePeople = some.max(10_000);

const signature = {
  reason: z.string().trim().min(1).max(500).optional().describe('Reason, for the audit'),
  as: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe("Who decides, for the audit; by default the token's name. The audit keeps both"),
};

export const runOrder = z
  .strictObject({
    users: some.max(50_000).optional().describe('Identifications; absent: all employees'),
    ...signature,
    full: z
      .boolean()
      .optional()
      .describe('true: reads all employees, even if the sync usually reads only changed ones'),
  })
  .refine(({ users, full }) => users === undefined || full !== true, {
    error: 'full and users exclude each other: use one of them',
    path: ['full'],
  })
  .meta({ id: 'RunOrder', description: 'The scope of the run' });

export const pauseOrder = z
  .strictObject({ until: z.iso.datetime({ offset: true }).optional().describe('When the pause ends automatically') })
  .meta({ id: 'PauseOrder', description: 'How long the pause lasts; empty: until the sync is resumed' });

export const webhookOrder = z
  .strictObject({ identifications: named.optional().describe('Absent: the sender does not know who changed') })
  .meta({ id: 'WebhookOrder', description: 'Employees that changed in the sending system' });

export const webhookMessage = z
  .union([webhookOrder, z.unknown()])
  .meta({ id: 'WebhookMessage', description: 'A WebhookOrder, or the unchanged message of an HR system' });

export const previewOrder = z
  .strictObject({
    sync: z.string().min(1).max(63).describe('Name of the sync'),
    users: named.optional().describe('Identifications; absent: all employees'),
    undo: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Id of a run: the preview shows what undoing it would do; then absent `users` are all that it changed'),
    only: z.array(z.enum(changeClasses)).min(1).optional().describe('With `undo`: only changes of these classes'),
  })
  .refine(({ only, undo }) => only === undefined || undo !== undefined, {
    error: 'only selects changes of an undo: add undo',
    path: ['only'],
  })
  .meta({ id: 'PreviewOrder', description: 'What the preview is about' });

export const mappingOrder = z
  .strictObject({ mapping: z.string().min(1).max(50_000).describe('The section `mapping` of the sync, as YAML') })
  .meta({ id: 'MappingOrder', description: 'A mapping to try' });

export const undoOrder = z
  .strictObject({
    only: z.array(z.enum(changeClasses)).min(1).optional().describe('Only changes of these classes'),
    users: some.max(50_000).optional().describe('Only these people, by identification'),
    ...signature,
  })
  .meta({
    id: 'UndoOrder',
    description: 'The changes to undo, and the reason; an empty body: all that the run applied',
  });

export const verdictOrder = z
  .strictObject({
    only: z.array(z.enum(changeClasses)).min(1).optional().describe('Only changes of these classes'),
    except: somePeople.optional().describe('All but these people, by identification'),
    ids: somePeople.optional().describe('Only these people, by identification'),
    ...signature,
  })
  .meta({
    id: 'VerdictOrder',
    description: 'The held changes to decide, and the reason; an empty body: all that wait',
  });

export const approvalOrder = verdictOrder
  .extend({
    reopen: z
      .boolean()
      .optional()
      .describe('true: changes that a person rejected are approved, when no other change of the selection waits'),
  })
  .meta({
    id: 'ApprovalOrder',
    description: 'The held changes to decide, and the reason; an empty body: all that wait',
  });

export const fieldNames = [...fieldTable.map(({ name }) => name), ...leaderFields] as [FieldName, ...FieldName[]];

/** The parts of a filter of changes, in a query and in a body. */
export const filterParts = {
  kind: z.enum(changeKinds).optional().describe('Only changes of this kind'),
  class: z.enum(changeClasses).optional().describe('Only changes of this class'),
  state: change.shape.state.optional().describe('Only changes in this state'),
  reason: z.string().min(1).max(500).optional().describe('Only changes with exactly this reason'),
  field: z.enum(fieldNames).optional().describe('Only changes of this field; with `value`, of a person with it'),
  value: z.string().max(500).optional().describe('The value of `field`, before or after the change'),
  text: z
    .string()
    .max(200)
    .optional()
    .describe('Words of the name, e-mail, identification or any value, in any order; case and accents are ignored'),
};

const selectionParts = {
  ids: somePeople.optional().describe('Only these people, by identification'),
  except: somePeople.optional().describe('All but these people'),
  filter: z.strictObject(filterParts).optional().describe('Only changes that match, as in the list'),
};

export const holdSelection = z
  .strictObject(selectionParts)
  .meta({ id: 'HoldSelection', description: 'Changes of a hold; empty: all' });

export const holdOrder = z
  .strictObject({
    ...selectionParts,
    expect: count
      .min(0)
      .optional()
      .describe('How many changes the operator saw. Another number: 409, and nothing is decided'),
    reopen: z.boolean().optional().describe('true: also approves what a person rejected'),
    ...signature,
  })
  .meta({ id: 'HoldOrder', description: 'The changes of the hold to decide, and the reason; empty: all' });

export const cancelOrder = z.strictObject(signature).meta({ id: 'CancelOrder', description: 'Reason, for the audit' });

export const peopleOrder = z
  .strictObject({ ids: somePeople.max(100) })
  .meta({ id: 'PeopleOrder', description: 'The people, by identification' });

export const adoptionOrder = peopleOrder
  .extend({
    way: z
      .enum(decisionWays)
      .optional()
      .describe(
        '`leave`: keep the account of `other` and leave the person out `until` an instant, with a reason, or keep an account that no sync owns; `replace`: disable that account and create one for the person, both after an approval; `apart`: they are two people; `disable`: an account that HR does not name and no sync owns is disabled by the next full run, within its guards, with a reason; `same`, `another`: the record of HR is about the person of the account, or about another one, whose account is disabled then. Absent: the account gets the new identification',
      ),
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When `leave` or `disable` ends. Absent: never, for an account that no sync owns'),
    ...signature,
  })
  .meta({ id: 'AdoptionOrder', description: 'The people, and the reason for the audit' });

export const orphansOrder = z
  .strictObject({
    from: z.string().min(1).describe('The sync that is not configured'),
    leave: z.boolean().default(false).describe('Leaves the users as they are, with a reason, and ends the alert'),
    ...signature,
  })
  .meta({ id: 'OrphansOrder', description: 'The sync that owned the users, and the reason for the audit' });

export const quietOrder = z.strictObject(signature).meta({ id: 'QuietOrder', description: 'Reason, for the audit' });

export const muteOrder = z
  .strictObject({
    minutes: count.min(1).max(43_200).default(60).describe('For how long; at most 30 days'),
    ...signature,
  })
  .meta({ id: 'MuteOrder', description: 'The duration and the reason' });

export const sessionOrder = z
  .strictObject({ token: z.string().min(1).max(1000) })
  .meta({ id: 'SessionOrder', description: 'One of server.tokens' });
