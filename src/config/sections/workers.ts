import { z } from 'zod';
import { duration, wholeNumber } from './values.ts';

/** `workers`: how much one process does at a time, and how long what it held stays with it when it dies. */
export const workers = z
  .strictObject({
    concurrency: wholeNumber(1, 64)
      .default(4)
      .meta({
        description:
          'Maximum number of runs that one worker process executes concurrently. In addition, it makes half as many plans concurrently, at most four. Only with `redis`.',
        examples: [8],
      }),
    lock: duration('3s', '5m')
      .prefault('6s')
      .meta({
        description:
          'How long the run of a dead worker waits until another worker continues it. Set a longer time if a busy machine stops workers for seconds, which makes them lose their runs. Only with `redis`.',
        examples: ['15s'],
      }),
    storeConnections: wholeNumber(2, 100)
      .default(10)
      .meta({
        description:
          "Maximum number of PostgreSQL connections per process. All processes together must stay below the server's `max_connections`.",
        examples: [5],
      }),
  })
  .prefault({})
  .transform(({ lock, ...rest }) => ({ ...rest, lockMs: lock }))
  .meta({
    description: 'Capacity of one process. The defaults suit most deployments.',
    examples: [{ concurrency: 8 }],
  });
