import { z } from 'zod';
import { duration } from './values.ts';

/** `retention`: how long the store keeps what. */
export const retention = z
  .strictObject({
    runs: duration('1d', '3650d')
      .prefault('90d')
      .meta({
        description:
          'How long the details of a run are kept: changes with their values, findings, batches, and raw answers of other systems. The run itself, as numbers, stays.',
        examples: ['30d'],
      }),
    audit: duration('1d', '3650d')
      .prefault('400d')
      .meta({ description: 'How long the store keeps audit entries.', examples: ['730d'] }),
    ledgerOfGone: duration('1d', '3650d')
      .prefault('400d')
      .meta({
        description:
          'How long the ledger keeps users whom Rollcall disabled or removed and who stayed gone. Afterwards only a keyed hash with owner, disabled and blacklist is kept. Never shorter than `remove.afterDays` and 30 days.',
        examples: ['180d'],
      }),
  })
  .prefault({})
  .meta({
    description: 'Retention times of the data in the store. See [privacy.md](privacy.md).',
    examples: [{ runs: '30d' }],
  });
