import { z } from 'zod';
import type { PreferRule } from '../../core/run/settings.ts';
import { dateFormat, recordValue, text } from './values.ts';

const latestRule = z.strictObject({
  latest: recordValue().meta({
    description: 'A date: the record with the latest one counts. Blank is earliest.',
    examples: ['hire_date'],
  }),
  format: dateFormat()
    .optional()
    .meta({ description: 'Its format in the source. Absent: `lifecycle.dateFormat`.', examples: ['dd/MM/yyyy'] }),
});

const sentence = 'must be a condition (text), a mapping with latest, or a list of these';

const rule = z
  .union([text(), latestRule], { error: sentence })
  .transform(
    (written): PreferRule =>
      typeof written === 'string'
        ? { kind: 'expression', expression: written }
        : { kind: 'latest', value: written.latest, format: written.format },
  );

/** `syncs.<name>.prefer`: core/settings `PreferRule`. */
export const prefer = z
  .union([z.array(rule).min(1), rule.transform((one) => [one])], { error: sentence })
  .optional()
  .meta({
    description:
      'Which record counts when several records in `scope` name one person. A condition that the record meets, `latest` with a date, or a list of both: the first rule with a result decides. Absent, or without a result: the user is not changed, and the outcome names the person.',
    examples: ["status = 'active'", ["status = 'active'", { latest: 'hire_date' }]],
  });
