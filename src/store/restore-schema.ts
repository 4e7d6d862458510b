export interface RestoreRow {
  id: string;
  at: number;
  /** When the backup was made. */
  made_at: number;
  by_whom: string;
}
