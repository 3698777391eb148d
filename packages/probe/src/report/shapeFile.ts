import { safeJson } from './safeReport.ts';
import { SHAPE_FORMAT, type ServiceShape } from '@qr-service/core/shape';

/** The file with which the emulator starts in the form of a service. */
export function shapeFile(shape: ServiceShape): string {
  return safeJson(shape);
}

/** Whether a file's text is such a file, so that a new one may replace it. */
export function isShapeFile(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      typeof value === 'object' && value !== null && (value as { format?: unknown }).format === SHAPE_FORMAT
    );
  } catch {
    return false;
  }
}
