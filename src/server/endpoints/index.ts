import type { Endpoint } from '../endpoint.ts';
import { alertEndpoints } from './alerts.ts';
import { changeSearches, reportEndpoints } from './changes.ts';
import { deploymentEndpoints } from './deployment.ts';
import { eventEndpoints } from './events.ts';
import { holdEndpoints } from './holds.ts';
import { overviewEndpoints } from './overview.ts';
import { peopleEndpoints } from './people.ts';
import { previewEndpoints } from './previews.ts';
import { runEndpoints } from './runs.ts';
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
