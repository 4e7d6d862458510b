/** What the clock showed at an instant of a machine's uptime. */
export interface ClockMarkRow {
  boot: string;
  uptime_ms: number;
  at: number;
}

export interface ClockJumpRow {
  before_at: number;
  after_at: number;
}
