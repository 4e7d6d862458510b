/**
 * A scratch file that lives as long as the process holds it: records are written in a row and fetched again by place.
 * It keeps a plan's memory bounded by its index instead of by its records. Holds personal data, so it has no name on
 * disk and is gone with the process.
 */
export interface Spool {
  /** Appends and returns the place: give it back to `read`. */
  append(text: string): number;
  read(place: number): string;
  close(): void;
}

export type OpenSpool = () => Spool;
