import { z } from 'zod';

export const heldEnd = z.object({
  classes: z.array(z.string()),
  state: z
    .enum(['open', 'approved', 'rejected', 'ended', 'expired'])
    .meta({ description: 'ended: an accepted read ended the reason; expired: not decided in time, or planned again' }),
  by: z.string().nullable().meta({ description: 'Who approved or rejected' }),
  run: z.string().nullable().meta({ description: 'The run that used the approval' }),
  end: z.string().nullable().meta({ description: 'What became of the changes in that run' }),
  count: z.int(),
});
