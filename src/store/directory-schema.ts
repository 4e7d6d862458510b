export interface DirectoryRow {
  sync: string;
  run: string;
  read_at: number;
  people: number;
  pages: number;
}

export interface DirectoryPageRow {
  sync: string;
  page: number;
  digest: string;
  /** JSON of the rows, sealed. */
  sealed: string;
}
