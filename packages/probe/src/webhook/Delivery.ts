/** A delivery as it was received. */
export interface Delivery {
  /** Names as they were spelled, in their order. A header that was sent twice is listed twice. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The bytes of the body. */
  body: Uint8Array;
  /**
   * How the body came to be these bytes, if a tool has not kept those that it received.
   * @default they are as received
   */
  rebuilt?: string;
  /**
   * How many more deliveries the file has.
   * @default 0
   */
  others?: number;
}

/** The values of a header, whatever the case of its name, also with the `Http-` prefix that Zapier adds. */
export function valuesOf({ headers }: Pick<Delivery, 'headers'>, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers
    .filter(([key]) => key.toLowerCase().replace(/^http-/, '') === wanted)
    .map(([, value]) => value);
}

/** The number of bytes that were sent, if the delivery says it. */
export function contentLength(delivery: Pick<Delivery, 'headers'>): number | undefined {
  const [length] = valuesOf(delivery, 'Content-Length');
  return length !== undefined && /^\d{1,12}$/.test(length) ? Number(length) : undefined;
}
