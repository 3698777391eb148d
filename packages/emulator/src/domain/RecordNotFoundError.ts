/** A code, key, delivery or other record doesn't exist. The message names it. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError';
}
