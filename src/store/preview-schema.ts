import type { Generated } from 'kysely';
import type { Preview } from '../ports/previews.ts';

export interface PreviewRow {
  id: string;
  sync: string;
  scope: string;
  requested_by: string;
  requested_at: number;
  expires_at: number;
  state: Generated<Preview['state']>;
  attempt: Generated<number>;
  started_at: number | null;
  ended_at: number | null;
  progress: string | null;
  /** Names people by identification, without values. */
  report: string | null;
  reason: string | null;
}
