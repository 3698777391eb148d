export { CONTRADICTIONS, WIRE_CHOICES, type Contradiction, type WireShape } from '@qr-service/core/shape';
