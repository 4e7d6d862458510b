import type { Migration } from 'kysely/migration';
import { first } from './001-first.ts';
import { approvalsOnce } from './002-approvals-once.ts';
import { alerts } from './004-alerts.ts';
import { pausesAndAudit } from './004-pauses-and-audit.ts';
import { fieldSight } from './005-field-sight.ts';

/** Every migration by name, in order. One that was ever released is never changed, only followed by another. */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-first': first,
  '002-approvals-once': approvalsOnce,
  '004-pauses-and-audit': pausesAndAudit,
  '004-alerts': alerts,
  '005-field-sight': fieldSight,
};
