import type { AlertDelivery } from '../ports/alerts.ts';

export interface AlertStateRow {
  subject: string;
  version: number;
  state: string;
}

export interface AlertDeliveryRow {
  notice: string;
  channel: string;
  subject: string;
  made_at: number;
  body: string;
  state: AlertDelivery['state'];
  tries: number;
  next_at: number;
  ended_at: number | null;
  error: string | null;
  /** The run that it is about; null when it stands alone. */
  thread: string | null;
  /** The receiver's id of it. */
  receipt: string | null;
}
