import type { Endpoint } from '../endpoint.ts';
import { ackAlerts, listAlerts, muteAlerts, streamAlerts, unmuteAlerts } from './alerts.ts';
import { changeSearches } from './changes.ts';
import { listAudit, listConnections, refreshToken, revokeToken } from './deployment.ts';
import { streamRequest, streamRun, streamSyncs } from './events.ts';
import { approveHold, listHolds, previewHold, rejectHold, showHold } from './holds.ts';
import { listDays, showOverview, streamOverview } from './overview.ts';
import { adoptUsers, explainPerson, personHistory, previewAdoption, searchPeople } from './people.ts';
import { listPreviews, requestPreview, showPreview, streamPreview } from './previews.ts';
import {
  approveRun,
  cancelRun,
  listChanges,
  listFindings,
  listRawTexts,
  listRuns,
  rejectRun,
  retryRun,
  showRun,
} from './runs.ts';
import { endSession, openSession, showSession } from './session.ts';
import {
  listSyncs,
  pauseSync,
  requestRun,
  resumeSync,
  sampleMapping,
  showMapping,
  showRequest,
  webhook,
} from './syncs.ts';

/** All endpoints of the API. */
export const endpoints: readonly Endpoint[] = [
  showSession,
  openSession,
  endSession,
  showOverview,
  streamOverview,
  listDays,
  listSyncs,
  pauseSync,
  resumeSync,
  requestRun,
  showRequest,
  showMapping,
  sampleMapping,
  streamSyncs,
  streamRequest,
  searchPeople,
  explainPerson,
  personHistory,
  requestPreview,
  listPreviews,
  showPreview,
  streamPreview,
  previewAdoption,
  adoptUsers,
  listRuns,
  showRun,
  streamRun,
  listFindings,
  listChanges,
  listRawTexts,
  listHolds,
  showHold,
  previewHold,
  approveHold,
  rejectHold,
  ...changeSearches,
  approveRun,
  rejectRun,
  cancelRun,
  retryRun,
  listAlerts,
  streamAlerts,
  ackAlerts,
  muteAlerts,
  unmuteAlerts,
  listConnections,
  refreshToken,
  revokeToken,
  listAudit,
  webhook,
];
