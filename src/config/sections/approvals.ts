import { z } from 'zod';
import type { ApprovalRule, ApprovalSettings } from '../../core/guard/approvals.ts';
import { type ChangeClass, changeClasses } from '../../core/plan/change.ts';
import { given } from '../../core/run/given.ts';
import { documented, text, wholeNumber } from './values.ts';

const most = 1_000_000;

const approvers = () => wholeNumber(1, 5);

const rule = z
  .strictObject({
    approvers: documented(approvers().default(1), 'How many different identities approve each change.', 2),
    above: documented(
      wholeNumber(0, most).default(0),
      'The rule is about more changes of the class than this in 24 hours; 0: about each one.',
      50,
    ),
    by: documented(
      z.array(text()).min(1).optional(),
      'Who may approve: groups of the identity provider, names of `server.tokens`, or users. Absent: each operator.',
      ['hr-leads'],
    ),
    notRequester: documented(
      z.boolean().default(false),
      '`true`: the person who requested the run by hand may not approve its changes.',
      true,
    ),
  })
  .transform(given);

const ofClass = (name: ChangeClass) =>
  documented(
    z
      .union([approvers(), rule])
      .transform(
        (value): ApprovalRule =>
          typeof value === 'number' ? { approvers: value, above: 0, notRequester: false } : value,
      )
      .optional(),
    `How changes of the class \`${name}\` are approved: a number of people, or a rule.`,
    2,
    { above: 50, by: ['hr-leads'], notRequester: true },
  );

const classes = Object.fromEntries(changeClasses.map((name) => [name, ofClass(name)])) as Readonly<
  Record<ChangeClass, ReturnType<typeof ofClass>>
>;

/** `approvals`: who must approve what, besides the guards. */
export const approvals = documented(
  z
    .strictObject({
      reason: documented(
        z.enum(['required', 'optional']).default('optional'),
        '`required`: approvals, retries, undos and decisions about accounts need a reason.',
        'required',
      ),
      ...classes,
    })
    .transform(
      ({ reason, ...rules }): ApprovalSettings => ({ isReasonRequired: reason === 'required', rules: given(rules) }),
    )
    .optional(),
  'Who must approve what, besides the guards: see [approvals and scopes](approvals.md). With this key, approvals need an identity of OpenID Connect or of `server.tokens`.',
  { reason: 'required', removes: 2, disables: { above: 50, by: ['hr-leads'], notRequester: true } },
);
