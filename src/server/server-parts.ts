import type { AppIo, SetUpEnd } from '../app/app-io.ts';
import type { Clock, Logger, NewId } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { EventStreams } from './events.ts';
import type { ServerSettings } from './settings.ts';
import type { SignIn } from './sign-in.ts';

/** A JSON object of the document. */
export type JsonObject = { readonly [name: string]: unknown };

/** OpenAPI 3.1.1, as far as this project uses it. */
export interface OpenApiDocument extends JsonObject {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> } & JsonObject;
}

export interface OpenApiOperation extends JsonObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

/** The input of the health checks. Each must be fast and must not throw. */
export interface Vitals {
  /** When the process last polled for work or took it; undefined: it does no work, or has not started. */
  workedAt(): number | undefined;
  isStarted(): boolean;
  /** The required dependencies, each with its fault, or undefined when it works. */
  needs(): Promise<readonly { readonly name: string; readonly fault: string | undefined }[]>;
}

/** What a server without API and pages needs. */
export interface HealthParts {
  readonly settings: ServerSettings;
  readonly vitals: Vitals;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: NewId;
  readonly metrics?: { readonly contentType: string; render(): Promise<string> };
  /** Time in ms that a client has to send a whole request. Default: 10 s. */
  readonly receiveWithinMs?: number;
}

export interface ServerParts extends HealthParts {
  readonly app: AppIo;
  readonly store: Pick<Store, 'sessions' | 'audit'>;
  readonly version: string;
  /** Renders the documentation page of the API. */
  readonly renderDocs: (document: OpenApiDocument) => string;
  /** Called with each new address that signs in once: the first one when the server listens. */
  readonly onSignInLink?: (address: string) => void;
  /** Present where the server only sets up one sync. */
  readonly setUp?: SetUpEnd;
  /** Sends the requests to the identity provider. Default: directly. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What an endpoint works with. */
export interface EndpointParts extends ServerParts {
  readonly events: EventStreams;
  readonly signIn: SignIn;
}

export interface RunningServer {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Accepts no new requests, waits some seconds for open ones, and closes. */
  close(): Promise<void>;
}
