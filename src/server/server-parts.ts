import type { App } from '../app/app.ts';
import type { Clock, Logger, NewId } from '../ports/runtime.ts';
import type { EventStreams } from './events.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** The use cases that the server calls. */
export type ServerApp = Pick<
  App,
  | 'overview'
  | 'days'
  | 'hold'
  | 'searchChanges'
  | 'groupChanges'
  | 'everyChange'
  | 'previewHold'
  | 'decideHold'
  | 'alerts'
  | 'syncs'
  | 'connections'
  | 'syncStates'
  | 'pause'
  | 'resume'
  | 'request'
  | 'requestRetry'
  | 'requestState'
  | 'runProgress'
  | 'runs'
  | 'show'
  | 'changes'
  | 'rawTexts'
  | 'approve'
  | 'holds'
  | 'previewAdoption'
  | 'adopt'
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
  /** 0: any free port. */
  readonly port: number;
  readonly tokens: readonly { readonly name: string; readonly role: AccessRole; readonly token: string }[];
  /** The secret of each sync with a webhook. */
  readonly webhooks: ReadonlyMap<string, string>;
  readonly requestsPerMinute: number;
  /** `health`: no API and no pages, for workers. */
  readonly serves: 'everything' | 'health';
}

/** The input of the health checks. Each must be fast and must not throw. */
export interface Vitals {
  /** When the process last polled for work or took it; undefined: it does no work, or has not started. */
  workedAt(): number | undefined;
  isStarted(): boolean;
  /** The required dependencies, each with its fault, or undefined when it works. */
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
  /** Renders the documentation page of the API. */
  readonly renderDocs: (document: OpenApiDocument) => string;
  readonly metrics?: MetricsPage;
  /** Time in ms that a client has to send a whole request. Default: 10 s. */
  readonly receiveWithinMs?: number;
}

/** What an endpoint works with. */
export interface EndpointParts extends ServerParts {
  readonly events: EventStreams;
}

export interface RunningServer {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Accepts no new requests, waits some seconds for open ones, and closes. */
  close(): Promise<void>;
}
