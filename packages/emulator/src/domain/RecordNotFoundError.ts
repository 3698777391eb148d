/** There is no such code, key, delivery or other record. The message names it. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError';
}
