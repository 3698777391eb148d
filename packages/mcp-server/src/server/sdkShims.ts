/**
 * Replaces the SDK's platform module in the bundle. Its default validator would load ajv, which is used only for replies
 * to questions to the user, and this server asks none.
 */
import process from 'node:process';

/** Rejects every use. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This server asks the user no questions.');
  }
}

export { process };
