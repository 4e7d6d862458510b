import type { App } from '../app/app.ts';
import type { Clock, Logger, NewId } from '../ports/runtime.ts';
import type { OpenApiDocument } from './open-api.ts';

/** What the server asks the composition root for. */
export type ServerApp = Pick<
  App,
  | 'syncs'
  | 'connections'
  | 'syncStates'
  | 'pause'
  | 'resume'
  | 'request'
  | 'requestRetry'
  | 'runs'
  | 'show'
  | 'changes'
  | 'approve'
  | 'reject'
  | 'cancel'
  | 'why'
  | 'history'
  | 'tokenStatus'
  | 'audit'
>;

export type AccessRole = 'viewer' | 'operator';

export interface ServerSettings {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tokens: readonly { readonly name: string; readonly role: AccessRole; readonly token: string }[];
  /** The secret of each sync that takes webhooks. */
  readonly webhooks: ReadonlyMap<string, string>;
  readonly requestsPerMinute: number;
  /** `health`: no API and no pages, for processes that only work. */
  readonly serves: 'everything' | 'health';
}

/** What health is judged by. None of it may take long or throw. */
export interface Vitals {
  /** When the process last took up, or looked for, work; undefined: it does none, or has not begun. */
  workedAt(): number | undefined;
  isStarted(): boolean;
  /** What the process cannot be without, each with why it is not there, or undefined when it is. */
  needs(): Promise<readonly { readonly name: string; readonly fault: string | undefined }[]>;
}

export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

export interface ServerParts {
  readonly app: ServerApp;
  readonly settings: ServerSettings;
  readonly vitals: Vitals;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  readonly version: string;
  /** The page of the API for people. */
  readonly renderDocs: (document: OpenApiDocument) => string;
  readonly metrics?: MetricsPage;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Accepts nothing more, lets requests that are under way end for a few seconds, and closes. */
  close(): Promise<void>;
}
