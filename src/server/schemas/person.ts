import { z } from 'zod';
import type { PersonTrace } from '../../app/app.ts';
import { personStepNames } from '../../app/person-steps.ts';

const personStep = z.object({
  step: z.enum(personStepNames),
  state: z
    .enum(['ok', 'stopped', 'not-reached'])
    .meta({ description: 'stopped: no later step happens until the reason is gone' }),
  summary: z.string().meta({ description: 'A sentence without its full stop' }),
  details: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      before: z.string().optional().meta({ description: 'The former value; absent: there is none to show' }),
      origin: z.string().optional().meta({ description: 'Where the value comes from' }),
    }),
  ),
  run: z.string().nullable().meta({ description: 'The run that the step is about' }),
});

export const person = z
  .looseObject({
    sync: z.string(),
    identification: z.string(),
    next: z.string().meta({ description: 'What the next whole run does' }),
    steps: z.array(personStep).meta({
      description:
        'The steps of the decision in order. Steps up to `guard` show what the next full run decides; the last three steps show the change that was last sent',
    }),
    change: z
      .looseObject({ kind: z.string(), hash: z.string(), reason: z.string() })
      .nullable()
      .meta({ description: 'The change that the next full run plans; null: none' }),
    decision: z.looseObject({}).optional(),
  })
  .meta({ description: 'The records, the mapping step by step, the platform, the ledger and the decision' });

/** Returns the trace with its steps and change as the API has them. */
export function personView(sync: string, { steps, change, ...trace }: PersonTrace) {
  return { sync, ...trace, change: change ?? null, steps: steps.map(({ run = null, ...step }) => ({ ...step, run })) };
}
