import { z } from 'zod';
import { dateTimeRules } from '../../core/person/plain-date.ts';
import { leavesBy } from '../../core/run/settings.ts';
import { dateFormat, recordValue, text } from './values.ts';

const statuses = z.array(text()).default([]);

/** `syncs.<name>.lifecycle`: core/settings `LifecycleSettings`. */
export const lifecycle = z
  .strictObject({
    status: recordValue()
      .optional()
      .meta({
        description: "The source field with the employee's status, or an expression.",
        examples: ['status', { expression: "contract.ended ? 'left' : contract.state" }],
      }),
    active: statuses.meta({
      description:
        'Statuses of active employees. Case does not matter. A status in neither list changes nothing and protects the employee.',
      examples: [['active', 'leave']],
    }),
    leaver: statuses.meta({ description: 'Statuses of employees who left.', examples: [['terminated']] }),
    hireDate: recordValue()
      .optional()
      .meta({
        description:
          'The source field with the first day of work, or an expression. The user is not created before it.',
        examples: ['hire_date'],
      }),
    leaveDate: recordValue()
      .optional()
      .meta({
        description: 'The source field with the last day of work, or an expression. After it the employee is a leaver.',
        examples: ['end_date'],
      }),
    leavesBy: z
      .enum(leavesBy)
      .optional()
      .meta({
        description:
          'Decides when status and leave date disagree: `status`, `date`, `first` (one suffices) or `last` (both). Absent: see docs/sources/README.md.',
        examples: ['first'],
      }),
    dateFormat: dateFormat()
      .optional()
      .meta({
        description:
          "Format of these two dates in the source: letters such as `dd/MM/yyyy` or `yyyy-MM-dd'T'HH:mm:ssXXX`, or `epoch-seconds`, `epoch-ms`. Absent: `yyyy-MM-dd`.",
        examples: ['dd/MM/yyyy', "yyyy-MM-dd'T'HH:mm:ssXXX"],
      }),
    timezone: recordValue()
      .optional()
      .meta({
        description:
          "A source field with the employee's IANA time zone, a fixed time zone, or an expression. It decides the current date, and the day of dates with a time and a zone, also in `mapping`. Absent: UTC.",
        examples: ['America/Montevideo'],
      }),
    dateTimes: z
      .enum(dateTimeRules)
      .optional()
      .meta({
        description:
          "The day of a date with a time and a zone, also in `mapping`. `written`: always as written. `local`: always in the employee's time zone. `auto` (default): midnight as written, any other time in the time zone.",
        examples: ['local'],
      }),
  })
  .superRefine((found, ctx) => {
    const { status, active, leaver, hireDate, leaveDate } = found;
    const add = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (status === undefined && hireDate === undefined && leaveDate === undefined) {
      add([], 'is empty; name a source field in status, hireDate or leaveDate, or delete lifecycle');
    }
    if (found.leavesBy !== undefined && (status === undefined || leaveDate === undefined)) {
      add(['leavesBy'], 'chooses between status and leaveDate; name both, or delete this key');
    }
    if (status === undefined && active.length + leaver.length > 0) {
      add([], 'lists statuses, but no source field; name it in status');
    }
    if (status !== undefined && active.length === 0) {
      add(['active'], 'lists no status, so no employee would ever be active');
    }
    const lower = active.map(fold);
    for (const [i, word] of leaver.entries()) {
      if (lower.includes(fold(word)))
        add(['leaver', i], 'is also listed in active; a status can mean only one of the two');
    }
  })
  .transform(
    ({ status, active, leaver, hireDate, leaveDate, leavesBy: decides, dateFormat: format, timezone, dateTimes }) => ({
      status,
      active,
      leaver,
      hireDate,
      leaveDate,
      leavesBy: decides,
      dateFormat: format,
      timezone,
      ...(dateTimes === undefined ? {} : { dateTimes }),
    }),
  );

/** Normalizes a status for comparison. */
function fold(status: string): string {
  return status.normalize('NFC').trim().toLowerCase();
}
