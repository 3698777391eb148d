/**
 * A QR code's summary (docs/api.md#qr-codes). Any other fields that the service sends are kept:
 * `(code as Record<string, unknown>)['field']` reads them.
 */
// A type, as an interface couldn't be used as a record.
export type QrCode = {
  id: string;
  name: string;
  /** The name with a short suffix, created by the service. */
  slug: string;
  /** For example `dynamic`. */
  mode: string;
  /** For example `url`. */
  contentType: string;
  /** For example `published`: until then, the short link doesn't work. */
  status: string;
  /** For example `not_required`. */
  approvalState: string;
  /** Folder that contains the code, if any. */
  folderId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  updatedAt: string;
  /** The short link, which the printed code contains. */
  publicUrl: string;
};

/** A new dynamic code for a URL. */
export interface NewQrCode {
  name: string;
  /** Where it points: an absolute URL. It can be updated after the code is printed. */
  targetUrl: string;
  /** Only in the API's own form. */
  content?: never;
}

/** A new code in the API's own form (docs/api.md#creating-codes). */
export interface ApiQrCodeInput {
  name: string;
  /** For example `dynamic`: its destination can be updated after it is printed. */
  mode: string;
  /** For example `url`. */
  contentType: string;
  /** For `url`: `{ targetUrl }`, an absolute URL. */
  content: Record<string, unknown>;
  /** Only in the short form. */
  targetUrl?: never;
}

/** Input for a new code. */
export type QrCodeInput = NewQrCode | ApiQrCodeInput;

/** A scan as the service sends it: its fields aren't documented (docs/api.md#scans). */
export type ScanRow = Record<string, unknown>;

/** One page of a list. */
export interface Page<Row> {
  /** In the service's order. */
  rows: Row[];
  /** Pass it as `cursor` for the next page; absent on the last one. */
  nextCursor?: string;
  /** Only on the last page of a feed, which is a list with a cursor on every page: where to resume later. */
  resumeCursor?: string;
  /** When the service sent the page by its own clock, in milliseconds since the epoch; absent if it doesn't say. */
  servedAt?: number;
}

/** One page of scans. */
export interface ScanPage extends Page<ScanRow> {
  /** Dimensions that the workspace's privacy settings permit. */
  allowedDimensions: string[];
}

/** A webhook subscription with the secret that signs its deliveries. */
export interface WebhookSubscription {
  id: string;
  /** Shown once, at creation. */
  secret: string;
  /** Where deliveries are sent. */
  url: string;
  eventTypes: string[];
}

/** The API key's workspace and scopes, as far as the service says (docs/api.md#account). */
export interface Account {
  workspace?: { id?: string; name?: string };
  scopes?: string[];
  /** The response body as received. */
  raw: Record<string, unknown>;
}

/** Image formats of a rendered code (docs/api.md#images). */
export const IMAGE_FORMATS = ['png', 'svg', 'pdf'] as const;
/** Format of a rendered code. */
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** A rendered code. */
export interface RenderedImage {
  body: Uint8Array;
  /** MIME type, without parameters. */
  contentType: string;
  /** The code's ID and the format, for example `qr_7hK2pQ.svg`. */
  fileName: string;
  /** File format, detected from the content. */
  format: ImageFormat;
}
