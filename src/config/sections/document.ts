import { z } from 'zod';
import { connectionShape } from './connection.ts';
import { editorSchema, rootShape } from './root.ts';
import { syncShape } from './sync.ts';
import { name } from './values.ts';

const { server, alerts, log, ...first } = rootShape;

/** The whole file, for generated documents. `loadConfig` reads it section by section. */
export const document = z.strictObject({
  $schema: editorSchema,
  ...first,
  connections: z.record(name(), z.strictObject(connectionShape)).meta({
    description: 'The platform communities, each under a name of your choice.',
    examples: [{ acme: { baseUrl: 'https://platform.example.com', accessToken: `\${env:ACME_ACCESS_TOKEN}` } }],
  }),
  syncs: z
    .record(name(), z.strictObject(syncShape))
    .prefault({})
    .meta({
      description: 'The syncs, each under a name of your choice.',
      examples: [{ people: { connection: 'acme', policy: 'upsert-only' } }],
    }),
  server,
  alerts,
  log,
});
