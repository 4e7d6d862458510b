export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that can be produced again for a second attempt (after a 401). */
export interface StreamedBody {
  readonly contentType: string;
  readonly contentLength: number;
  open(): AsyncIterable<Uint8Array>;
}

/** The body of a request. `text` is sent unchanged; the request's headers name its media type. */
export type OperationBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly stream: StreamedBody };
