import type { Endpoint } from '../endpoint.ts';
import { changeSearches, reportEndpoints } from './changes.ts';
import { deploymentEndpoints } from './deployment.ts';
import { eventEndpoints } from './events.ts';
import { holdEndpoints } from './holds.ts';
import { alertEndpoints, overviewEndpoints } from './overview.ts';
import { peopleEndpoints } from './people.ts';
import { previewEndpoints, runEndpoints } from './runs.ts';
import { sessionEndpoints } from './session.ts';
import { syncEndpoints, webhook } from './syncs.ts';

/** All endpoints of the API. */
export const endpoints: readonly Endpoint[] = [
  ...sessionEndpoints,
  ...overviewEndpoints,
  ...syncEndpoints,
  ...peopleEndpoints,
  ...previewEndpoints,
  ...runEndpoints,
  ...eventEndpoints,
  ...holdEndpoints,
  ...changeSearches,
  ...reportEndpoints,
  ...alertEndpoints,
  ...deploymentEndpoints,
  webhook,
];
