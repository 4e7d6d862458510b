import { z } from 'zod';
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
        'Statuses of people who work here. Case does not matter. A status in neither list does nothing and protects the person.',
      examples: [['active', 'leave']],
    }),
    leaver: statuses.meta({ description: 'Statuses of people who left.', examples: [['terminated']] }),
    hireDate: text()
      .optional()
      .meta({
        description: 'The source field with the first day; before it the person is not created.',
        examples: ['hire_date'],
      }),
    leaveDate: text()
      .optional()
      .meta({
        description: 'The source field with the last day; after it the person is a leaver.',
        examples: ['end_date'],
      }),
    dateFormat: dateFormat()
      .optional()
      .meta({ description: 'How the source writes these two dates. Absent: `yyyy-MM-dd`.', examples: ['dd/MM/yyyy'] }),
    timezone: text()
      .optional()
      .meta({
        description:
          "A source field with the employee's IANA time zone, or a zone itself; it decides which day today is. Absent: UTC.",
        examples: ['America/Montevideo'],
      }),
  })
  .superRefine((found, ctx) => {
    const { status, active, leaver, hireDate, leaveDate } = found;
    const add = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (status === undefined && hireDate === undefined && leaveDate === undefined) {
      add([], 'says nothing; name a source field in status, hireDate or leaveDate, or delete lifecycle');
    }
    if (status === undefined && active.length + leaver.length > 0) {
      add([], 'lists statuses, but no source field; name it in status');
    }
    if (status !== undefined && active.length === 0) {
      add(['active'], 'lists no status, so that nobody would ever be active');
    }
    const lower = active.map(fold);
    for (const [i, word] of leaver.entries()) {
      if (lower.includes(fold(word))) add(['leaver', i], 'stands in active too; a status means one of the two');
    }
  })
  .transform(({ status, active, leaver, hireDate, leaveDate, dateFormat: format, timezone }) => ({
    status,
    active,
    leaver,
    hireDate,
    leaveDate,
    dateFormat: format,
    timezone,
  }));

/** As the lifecycle compares statuses. */
function fold(status: string): string {
  return status.normalize('NFC').trim().toLowerCase();
}
