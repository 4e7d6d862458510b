import { z } from 'zod';
import { leavesBy } from '../../core/settings.ts';
import { dateFormat, text } from './values.ts';

const statuses = z.array(text()).default([]);

/** `syncs.<name>.lifecycle`: core/settings `LifecycleSettings`. */
export const lifecycle = z
  .strictObject({
    status: text()
      .optional()
      .meta({ description: "The source field with the employee's status.", examples: ['status'] }),
    active: statuses.meta({
      description:
        'Statuses of active employees. Case does not matter. A status in neither list changes nothing and protects the employee.',
      examples: [['active', 'leave']],
    }),
    leaver: statuses.meta({ description: 'Statuses of employees who left.', examples: [['terminated']] }),
    hireDate: text()
      .optional()
      .meta({
        description: 'The source field with the first day of work. The user is not created before it.',
        examples: ['hire_date'],
      }),
    leaveDate: text()
      .optional()
      .meta({
        description: 'The source field with the last day of work. After it the employee is a leaver.',
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
        description: 'Format of these two dates in the source. Absent: `yyyy-MM-dd`.',
        examples: ['dd/MM/yyyy'],
      }),
    timezone: text()
      .optional()
      .meta({
        description:
          "A source field with the employee's IANA time zone, or a fixed time zone. It decides the current date. Absent: UTC.",
        examples: ['America/Montevideo'],
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
  .transform(({ status, active, leaver, hireDate, leaveDate, leavesBy: decides, dateFormat: format, timezone }) => ({
    status,
    active,
    leaver,
    hireDate,
    leaveDate,
    leavesBy: decides,
    dateFormat: format,
    timezone,
  }));

/** Normalizes a status for comparison. */
function fold(status: string): string {
  return status.normalize('NFC').trim().toLowerCase();
}
