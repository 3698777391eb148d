import type { QrCode } from '../../contract/types.ts';
import type { ParameterErrorCode } from '../../errors/codes.ts';
import { QrServiceError } from '../../errors/QrServiceError.ts';
import { duration } from '../../errors/sentences.ts';
import { INPUTS } from '../inputs/definitions.ts';
import { ParameterError } from '../inputs/ParameterError.ts';
import { showInput, showValue } from '../inputs/showValue.ts';
import { describeCode, isArchived } from './qrCode.ts';
import { readCodeReference } from './reference.ts';

const MAX_SHOWN = 5;
const CODE = INPUTS.qrCodeId.label;
const NAME = INPUTS.name.label;

function codeError(code: ParameterErrorCode, message: string, advice: string, parameter = CODE) {
  return new ParameterError(message, { code, parameter, advice });
}

/** The error for a code that doesn't exist. */
export function codeNotFound(named: string, advice: string): ParameterError {
  const reference = readCodeReference(named);
  const message =
    'id' in reference
      ? `QR code ${showInput(reference.id)} doesn't exist.`
      : `No QR code has the short link ${showInput(reference.shortLink)}.`;
  return codeError('not_found', message, advice);
}

/** The error for a list that can't be read in time. */
export function searchLimit(ms: number): ParameterError {
  const message = `This workspace has more QR codes than can be searched in ${duration(ms)}.`;
  return codeError('search_limit', message, "Use the QR code's ID.");
}

/** The only code with a name; throws `ambiguous_name` for several. Archived codes count only if there is no other. */
export function onlyOne(name: string, codes: readonly QrCode[]): QrCode | undefined {
  const usable = codes.filter((code) => !isArchived(code));
  const candidates = usable.length > 0 ? usable : codes;
  if (candidates.length <= 1) return candidates[0];
  const shown = candidates.slice(0, MAX_SHOWN).map(describeCode).join(', ');
  const rest = candidates.length > MAX_SHOWN ? ` and ${candidates.length - MAX_SHOWN} more` : '';
  const message = `${candidates.length} QR codes have the name ${showValue(name)}.`;
  const advice = `Use the ID of one of them, or rename the others: ${shown}${rest}.`;
  throw codeError('ambiguous_name', message, advice, NAME);
}

/** The error for a name that another run has requested with another destination, while no list shows its code, or it was refused. */
export function notListed(name: string): ParameterError {
  const message = `A QR code for ${showValue(name)} was requested minutes ago with another destination and isn't listed yet.`;
  return codeError('not_listed', message, 'Wait ten minutes, then run this again.', NAME);
}

/** The error for a row whose code has another name than the row. */
export function renamed(name: string, code: QrCode): ParameterError {
  const advice = `Its destination was updated. It is now ${describeCode(code)}. To use it, put its ID into the row. To create another one, use a different name.`;
  return codeError('renamed', `The QR code for ${showValue(name)} was renamed.`, advice, NAME);
}

/** The error for rows of one run that have the same name but different destinations. */
export function twoTargets(name: string, targets: readonly string[]): ParameterError {
  const message = `The name ${showValue(name)} has two destinations: ${targets.join(' and ')}.`;
  const advice = 'Use a different name for each QR code, or the same destination, or match by ID.';
  return codeError('conflicting_rows', message, `Nothing was sent for these rows. ${advice}`, NAME);
}

/** The error for an archived code. */
export function archived(code: QrCode, wasChanged = false): ParameterError {
  const message = wasChanged
    ? `The destination of the archived QR code ${describeCode(code)} was updated.`
    : `The QR code ${describeCode(code)} is archived.`;
  const change = wasChanged ? '' : ' It was not changed.';
  const advice = `Its short link doesn't work.${change} Restore it in the app, then publish it.`;
  return codeError('archived', message, advice);
}

/** The error for a target that leads back to its code. `other`: the code whose short link it is, if it isn't the code's own. */
export function leadsBack(code: QrCode, options: { other?: QrCode | undefined; wasChanged?: boolean } = {}) {
  const { other, wasChanged = false } = options;
  const whose =
    other === undefined
      ? 'its own short link'
      : `the short link of ${describeCode(other)}, which leads back to it`;
  const message = `The destination of the QR code ${describeCode(code)} is ${whose}.`;
  const change = wasChanged
    ? 'Its destination was updated, so scans now end in a redirect loop.'
    : 'Nothing was sent.';
  const advice = `${change} Use the URL of the page that a scan should open.`;
  return codeError('validation_failed', message, advice, INPUTS.url.label);
}

/** The error for a new code that the service doesn't find: reads are late, or it was deleted since. */
export function notVisible(code: Pick<QrCode, 'id' | 'name'>): QrServiceError {
  return new QrServiceError(`The service doesn't find the new QR code ${describeCode(code)}.`, {
    code: 'not_visible',
    detail: 'It was created, but may not be published. Wait a few minutes, then run this again.',
  });
}
