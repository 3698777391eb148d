import { ALLOWED_TARGETS_LABEL } from '../client/AllowedTargets.ts';
import type { QrCodes } from '../client/QrCodes.ts';
import type { QrCode } from '../contract/types.ts';
import { isQrServiceError, QrServiceError } from '../errors/QrServiceError.ts';
import { describeCode, isRenamed, normalize } from './codeText.ts';
import { readRowReference } from './CodeIndex.ts';
import { isArchived } from './codeStatus.ts';
import { INPUTS } from './inputs.ts';
import { missingParameter, ParameterError } from './parameters/ParameterError.ts';
import { showInput, showText, showValue } from './parameters/showValue.ts';
import { targetUrlOf } from './targetUrl.ts';

/** Maximum number of codes that an error names. */
const MAX_SHOWN = 5;

/**
 * Refuses a row whose code can't be created, before it is sent: the service would remember the refusal under the name for a
 * day, even after the row was corrected.
 * @throws ParameterError
 */
export function checkNewCode({ name }: { name: string }): void {
  if (normalize(name) === '') throw missingParameter(INPUTS.name);
}

/** The error for a row whose code doesn't exist. */
export function codeNotFound(named: string): ParameterError {
  const reference = readRowReference(named);
  const message =
    'id' in reference
      ? `QR code ${showText(reference.id)} doesn't exist.`
      : `No QR code has the short link ${showInput(reference.shortLink)}.`;
  const advice = 'Correct it, or clear the field to create a new code.';
  return new ParameterError(message, { code: 'not_found', parameter: INPUTS.qrCodeId.label, advice });
}

/** Code of the error for a new code that the service doesn't find. */
const NOT_VISIBLE = 'not_visible';

/** The error for a new code that the service doesn't find: reads are late, or it was deleted since. */
export function notVisible(code: Pick<QrCode, 'id' | 'name'>): QrServiceError {
  return new QrServiceError(`The service doesn't find the new QR code ${describeCode(code)}.`, {
    code: NOT_VISIBLE,
    detail:
      'It was created, but may not be published. Wait a few minutes, then run this again. If you have deleted this code, use a different name and leave the code empty.',
  });
}

/** Whether an error is `notVisible`. */
export function isNotVisible(error: unknown): boolean {
  return isQrServiceError(error) && error.code === NOT_VISIBLE;
}

/** The error for a name that several codes have. */
function ambiguousName(name: string, codes: readonly QrCode[]): ParameterError {
  const shown = codes.slice(0, MAX_SHOWN).map(describeCode);
  const rest = codes.length - shown.length;
  return new ParameterError(`${codes.length} QR codes have the name ${showValue(name)}.`, {
    code: 'ambiguous_name',
    parameter: INPUTS.name.label,
    // Not in the message, as long ones are cut.
    advice: `Use the ID of one of them, or rename the others: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`,
  });
}

/** The error for a name that another run has requested with another target, while no list shows its code. */
export function notListed(name: string): ParameterError {
  return new ParameterError(
    `A QR code for ${showValue(name)} was requested in the last 24 hours, with another target, but the service doesn't list it.`,
    {
      code: 'not_listed',
      parameter: INPUTS.name.label,
      advice:
        'Wait a few minutes, then run this again. If it still fails, that request was refused or its code was deleted: use a different name, or wait 24 hours.',
    },
  );
}

/** The error for a row whose code has got another name since it was found or created. */
export function renamed(name: string, code: QrCode, wasChanged = false): ParameterError {
  const change = wasChanged ? 'Its destination was updated. ' : '';
  return new ParameterError(`The QR code for ${showValue(name)} was renamed.`, {
    code: 'renamed',
    parameter: INPUTS.name.label,
    advice: `It is now ${describeCode(code)}. ${change}To use it, put its ID into the row. To create another one, use a different name.`,
  });
}

/** The error for a row whose code is published and leads to its target, but has another name than the row. */
function nameChangedByService(name: string, code: QrCode): ParameterError {
  return new ParameterError(
    `The QR code was created and published, but the service changed its name ${showValue(name)}.`,
    {
      code: 'name_changed',
      parameter: INPUTS.name.label,
      advice: `It is ${describeCode(code)}. Put its ID into the row: ${INPUTS.matchByName.label} won't find it again.`,
    },
  );
}

/** The error for a row that would need a new code by its name, after the service has changed the name of another. */
export function namesNotKept(name: string): ParameterError {
  return new ParameterError(
    `No QR code has the name ${showValue(name)}, but this service changes the names of new codes.`,
    {
      code: 'name_changed',
      parameter: INPUTS.name.label,
      advice: `It may exist under another name: put its ID or short link into the row, or turn off ${INPUTS.matchByName.label} to create a code. Nothing was created.`,
    },
  );
}

/** What else a row can do whose code is archived. */
const OTHER_CODE = 'To use a new code instead, use a different name and leave the code empty.';

/**
 * The error for an archived code.
 * @param instead what to do instead of restoring it
 */
export function archived(code: QrCode, wasChanged = false, instead = OTHER_CODE): ParameterError {
  const change = wasChanged ? 'Its destination was updated' : 'It was not changed';
  return new ParameterError(`The QR code ${describeCode(code)} is archived.`, {
    code: 'archived',
    parameter: INPUTS.qrCodeId.label,
    advice:
      `Its short link doesn't work. ${change}. Restore it in the app, then publish it. ${instead}`.trim(),
  });
}

/**
 * Leaves a code alone that is known to lead to where it may not: whoever has set that may have meant it.
 * @param target where it points, if this process knows
 * @throws ParameterError `points_outside`
 */
export function refuseOutside(
  qr: Pick<QrCodes, 'checkTargets'>,
  code: QrCode,
  target: string | undefined,
): void {
  for (const targetUrl of [target, targetUrlOf(code)])
    try {
      if (targetUrl !== undefined) qr.checkTargets({ targetUrl });
    } catch (error) {
      throw new ParameterError(`The QR code ${describeCode(code)} points outside ${ALLOWED_TARGETS_LABEL}.`, {
        code: 'points_outside',
        parameter: INPUTS.qrCodeId.label,
        advice: `${(error as Error).message} It was not changed. If this row should change it, update its destination first.`,
      });
    }
}

/**
 * The only code with a name. Archived codes count only if there is no other.
 * @throws ParameterError `ambiguous_name` if there are several
 */
export function onlyOne(name: string, codes: readonly QrCode[]): QrCode | undefined {
  const usable = codes.filter((code) => !isArchived(code));
  const candidates = usable.length > 0 ? usable : codes;
  if (candidates.length > 1) throw ambiguousName(name, candidates);
  return candidates[0];
}

/**
 * Refuses a code that was changed for its name, but has another one.
 * @param keepsNames whether the service keeps the names of new codes
 * @throws ParameterError
 */
export function refuseRenamed(name: string, code: QrCode, keepsNames: boolean | undefined): void {
  if (isRenamed(name, code))
    throw keepsNames === false ? nameChangedByService(name, code) : renamed(name, code, true);
}
