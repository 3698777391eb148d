export { toActivationError } from './errors.ts';
