/** There is no such code, key, delivery or whatever else was named; the message says which. */
export class RecordNotFoundError extends Error {
  override readonly name = 'NoSuchRecordError';
}
