export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that can be made anew for a second sending (after a 401). */
export interface StreamedBody {
  readonly contentType: string;
  readonly contentLength: number;
  open(): AsyncIterable<Uint8Array>;
}

/** What goes along with a request. `text` is sent as it is; its media type stands in the request's headers. */
export type OperationBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly stream: StreamedBody };
