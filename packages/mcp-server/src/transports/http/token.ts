import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readVariable } from '../../config/readVariable.ts';
import { UsageError } from '../../config/UsageError.ts';

/** Environment variable with the token. */
export const TOKEN_VARIABLE = 'QR_SERVICE_MCP_TOKEN';

/** What HTTP clients send as `Authorization: Bearer`. */
export interface Token {
  value: string;
  /** Whether it was made for this start, so that it must be shown. */
  isNew: boolean;
}

/** Every local process can guess at it. */
const SHORTEST_TOKEN = 16;

/**
 * Reads the token from the environment, or makes one.
 * @throws UsageError, without showing it, if it can't be sent in a header or is too short
 */
export function readToken(environment: NodeJS.ProcessEnv): Token {
  const value = readVariable(environment, TOKEN_VARIABLE);
  if (value === undefined) return { value: randomBytes(32).toString('base64url'), isNew: true };
  if (!/^[\x21-\x7e]+$/.test(value) || value.length < SHORTEST_TOKEN)
    throw new UsageError(
      `${TOKEN_VARIABLE} must have at least ${SHORTEST_TOKEN} characters: ASCII letters, digits or symbols, without spaces. Leave it out for a new token.`,
    );
  return { value, isNew: false };
}

/** Checks an `Authorization` header, in a time that says nothing about the token. */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(token);
  return (authorization) => {
    const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
