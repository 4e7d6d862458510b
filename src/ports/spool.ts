/**
 * A scratch file that exists only while the process holds it. Records are written in sequence and read by position.
 * With it, a plan's memory depends on the index, not on the records. It holds personal data, so it has no name on disk
 * and ends with the process.
 */
export interface Spool {
  /** Appends the text and returns its position for `read`. */
  append(text: string): number;
  read(place: number): string;
  close(): void;
}

export type OpenSpool = () => Spool;
