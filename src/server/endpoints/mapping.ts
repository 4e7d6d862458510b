import { z } from 'zod';
import { describeMapping, readSamples } from '../../app/sync-mapping.ts';
import { mappingSamples, mappingSamplesView, syncMapping, syncMappingView } from '../../views/syncs.ts';
import { defineEndpoint } from '../endpoint.ts';
import { knownSync, syncName } from './parameters.ts';

const base = {
  method: 'GET',
  part: 'syncs',
  params: z.object({ sync: syncName }),
} as const;

export const showMapping = defineEndpoint({
  ...base,
  id: 'show-mapping',
  path: '/api/syncs/{sync}/mapping',
  summary: 'The mapping of a sync with fill-rates, and how much of each guard is used',
  needs: 'viewer',
  answer: syncMapping,
  refusals: [404],
  handle: async ({ params }, { app }) => syncMappingView(await describeMapping(app, knownSync(params.sync, app))),
});

export const sampleMapping = defineEndpoint({
  ...base,
  id: 'sample-mapping',
  path: '/api/syncs/{sync}/mapping/samples',
  summary: 'Mapped values of the first records of the source',
  description:
    'Reads the beginning of the source, so it counts as ten requests. The values are raw data of employees, so they need the role operator.',
  needs: 'operator',
  cost: 10,
  answer: mappingSamples,
  refusals: [404, 502],
  handle: async ({ params, signal }, { app }) =>
    mappingSamplesView(await readSamples(app, knownSync(params.sync, app), signal)),
});
