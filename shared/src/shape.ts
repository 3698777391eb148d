/** The entry point `@qr-service/core/shape`: the form of a service where the API text leaves it open. */
export {
  isInBounds,
  isShapeName,
  MISSING_PARTS,
  SHAPE_BOUNDS,
  SHAPE_FORMAT,
  SHAPE_NAME_LENGTH,
  SHAPE_VERSION,
  type FixedResponse,
  type ServiceShape,
} from './contract/serviceShape.ts';
export { SCAN_ID_KEYS, SCAN_TIME_KEYS } from './contract/wireNames.ts';
export {
  BEHAVIOR_CHOICES,
  contradictionOf,
  CONTRADICTIONS,
  WIRE_CHOICES,
  type Contradiction,
  type WireShape,
} from './contract/wireShape.ts';
