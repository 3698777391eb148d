export { toNodeError } from './errors.ts';
