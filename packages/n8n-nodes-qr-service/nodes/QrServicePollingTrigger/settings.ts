import type { IPollFunctions } from 'n8n-workflow';
import { Parameters } from '../shared/parameters.ts';
import type { Wanted } from './pollChanges.ts';
import type { Watch } from './rows.ts';

const WATCH = {
  displayName: 'Watch',
  name: 'watch',
  default: 'changedCodes',
  options: [
    { name: 'Changed QR Codes', value: 'changedCodes' },
    { name: 'Scans', value: 'scans' },
  ],
};
const OPTIONS = { displayName: 'Options', name: 'options', default: {} };
const ONLY_NEW = { displayName: 'Only New', name: 'onlyNew', default: false };
const ONLY_PUBLISHED = { displayName: 'Only Published', name: 'onlyPublished', default: false };

/**
 * What the trigger watches, and which of it is wanted.
 * @throws ParameterError for a setting that can't be used
 */
export function readSettings(context: IPollFunctions): { watch: Watch; wanted: Wanted } {
  const parameters = Parameters.ofTrigger(context);
  const watch = parameters.oneOf(WATCH) as Watch;
  if (watch !== 'changedCodes') return { watch, wanted: {} };
  const options = parameters.in(OPTIONS);
  return {
    watch,
    wanted: { onlyNew: options.yesNo(ONLY_NEW), onlyPublished: options.yesNo(ONLY_PUBLISHED) },
  };
}
