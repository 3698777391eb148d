import { INPUTS, invalidParameter, toWebAddress, withUrlParameters } from '@qr-service/core/connector';
import type { Bundle, PlainInputField } from 'zapier-platform-core';
import { inputField } from './fields.ts';
import { readInput } from './readInputs.ts';

export const URL_PARAMETERS_FIELD = inputField(INPUTS.urlParameters, { dict: true });

/**
 * Reads a target URL, with the step's URL parameters: what is created, compared and returned.
 * @throws ParameterError for an invalid URL or parameter
 */
export function targetInput(bundle: Bundle, field: PlainInputField): string {
  const url = readInput(bundle, field, toWebAddress);
  return readInput(bundle, URL_PARAMETERS_FIELD, (given, about) => {
    const pairs: unknown = (typeof given === 'string' ? given.trim() : given) || {};
    if (typeof pairs !== 'object' || pairs === null || Array.isArray(pairs))
      throw invalidParameter(given, about, 'names and values', 'Enter one name and value for each.');
    const parameters = Object.entries(pairs).map(([name, value]) => ({ name, value: value as unknown }));
    return withUrlParameters(url, parameters, about);
  });
}
