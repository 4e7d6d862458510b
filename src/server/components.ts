import { z } from 'zod';
import { alertList, quieted } from '../views/alerts.ts';
import { change, changeGroups, changePage, effect, foundChanges, pastChanges } from '../views/changes.ts';
import { auditPage, connection, connectionList } from '../views/connections.ts';
import { holdDetail, holdsPage, verdict } from '../views/holds.ts';
import {
  adoptionOrder,
  approvalOrder,
  cancelOrder,
  holdOrder,
  holdSelection,
  muteOrder,
  peopleOrder,
  previewOrder,
  quietOrder,
  runOrder,
  sessionOrder,
  verdictOrder,
  webhookOrder,
} from '../views/orders.ts';
import { dayList, overview } from '../views/overview.ts';
import { adoptions, foundPeople, person } from '../views/people.ts';
import { preview, previewList } from '../views/previews.ts';
import { findingPage, rawTextList, runPage, runProgress, runSummary, runWithTimes } from '../views/runs.ts';
import { mappingSamples, requested, requestState, sync, syncList, syncMapping } from '../views/syncs.ts';
import { count } from '../views/wire.ts';
import { session, sessionEnd } from './endpoints/session.ts';

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: count,
  code: z.string().meta({ description: 'Stable. Programs must use this code, not the texts' }),
  detail: z.string(),
  requestId: z.string(),
});

/** The named schemas of the OpenAPI document. */
export const components: Readonly<Record<string, z.ZodType>> = {
  Session: session,
  SessionOrder: sessionOrder,
  SessionEnd: sessionEnd,
  Overview: overview,
  DayList: dayList,
  Sync: sync,
  SyncList: syncList,
  Run: runSummary,
  RunPage: runPage,
  RunDetail: runWithTimes,
  FindingPage: findingPage,
  Change: change,
  ChangePage: changePage,
  RawTexts: rawTextList,
  PastChanges: pastChanges,
  Person: person,
  FoundPeople: foundPeople,
  SyncMapping: syncMapping,
  MappingSamples: mappingSamples,
  Preview: preview,
  PreviewList: previewList,
  PreviewOrder: previewOrder,
  Requested: requested,
  RequestState: requestState,
  RunProgress: runProgress,
  Verdict: verdict,
  AlertList: alertList,
  QuietOrder: quietOrder,
  MuteOrder: muteOrder,
  Quieted: quieted,
  Connection: connection,
  ConnectionList: connectionList,
  AuditPage: auditPage,
  HoldsPage: holdsPage,
  HoldDetail: holdDetail,
  HoldSelection: holdSelection,
  HoldOrder: holdOrder,
  Effect: effect,
  FoundChanges: foundChanges,
  ChangeGroups: changeGroups,
  RunOrder: runOrder,
  VerdictOrder: verdictOrder,
  ApprovalOrder: approvalOrder,
  CancelOrder: cancelOrder,
  PeopleOrder: peopleOrder,
  AdoptionOrder: adoptionOrder,
  Adoptions: adoptions,
  WebhookOrder: webhookOrder,
  Problem: problem,
};
