import type { ServiceShape, WireShape } from '@qr-service/core/shape';
import {
  DEFAULT_RATE_LIMIT,
  DEFAULT_SETTINGS,
  type EmulatorOptions,
  type FixedSettings,
  type Settings,
} from './options.ts';
import { DIMENSIONS } from './scanDimensions.ts';
import { checkObject, InputError, type Fields } from '../validation/checkObject.ts';
import { isBoolean, isListOf, isOneOf } from '../validation/checks.ts';
import { isDimensionList, isListDelay, isTimeStep, readShape } from './readShape.ts';
import { readWireShape } from './readWireShape.ts';

/** How the emulated service behaves, from the options. */
export interface Behavior {
  settings: Settings;
  fixed: FixedSettings;
  wireShape: Required<WireShape>;
  updatedAtStepMs: number;
}

/** The settings, each with its check. */
export const SETTINGS_FIELDS: Fields = {
  optional: {
    allowedDimensions: isDimensionList,
    lowScoreNotices: isBoolean,
    visibleAfterMs: isListDelay,
  },
};

/**
 * Completes the options that shape the service's behavior: from the shape, then with the defaults.
 * @throws TypeError for an invalid option
 */
export function readBehavior(options: EmulatorOptions): Behavior {
  const shape: Partial<ServiceShape> = options.shape === undefined ? {} : readShape(options.shape);
  const { scanFields, keyHeader, errors = {} } = shape;
  const { responses = [], missing = [], ignoredParameters = {} } = shape;
  const { updatedAtStepMs = 1 } = options;
  checkObject({ updatedAtStepMs }, '', { required: { updatedAtStepMs: isTimeStep } });
  return {
    settings: readSettings(options, readSettings(shape, DEFAULT_SETTINGS)),
    fixed: {
      rateLimit: options.rateLimit ?? DEFAULT_RATE_LIMIT,
      scanFields: { id: 'id', qrId: 'qrId', scannedAt: 'scannedAt', ...scanFields },
      missing,
      ignoredParameters,
      keyHeader,
      errors,
      responses,
    },
    wireShape: readWireShape({ ...shape.wireShape, ...options.wireShape }),
    updatedAtStepMs,
  };
}

/**
 * Changes the settings that are given.
 * @throws InputError for an invalid one
 */
function readSettings(given: Partial<Settings>, before: Settings): Settings {
  const {
    allowedDimensions = before.allowedDimensions,
    lowScoreNotices = before.lowScoreNotices,
    visibleAfterMs = before.visibleAfterMs,
  } = given;
  const settings = { allowedDimensions, lowScoreNotices, visibleAfterMs };
  checkObject(settings, '', SETTINGS_FIELDS);
  return settings;
}

/**
 * The same while the emulator runs. A dimension must be one that it has, or that the shape of its service named.
 * @throws InputError for an invalid setting
 */
export function changeSettings(given: Partial<Settings>, before: Settings): Settings {
  const settings = readSettings(given, before);
  const names = [...new Set([...DIMENSIONS, ...before.allowedDimensions])];
  const problem = isListOf(isOneOf(names))(settings.allowedDimensions);
  if (problem !== undefined) throw new InputError('allowedDimensions', problem);
  return settings;
}
