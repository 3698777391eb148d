import { EVENT_TYPES } from '@qr-service/core';
import { UNDOCUMENTED_EVENTS } from '@qr-service/core/connector';
import {
  version as platformVersion,
  type App,
  type Create,
  type Search,
  type Trigger,
} from 'zapier-platform-core';
import packageJson from '../package.json' with { type: 'json' };
import { authentication } from './authentication.ts';
import { addApiKey } from './client/addApiKey.ts';
import { publishQrCode, retargetQrCode } from './creates/changeQrCode.ts';
import { createQrCode } from './creates/createQrCode.ts';
import { renderQrCode } from './creates/renderQrCode.ts';
import { upsertQrCode } from './creates/upsertQrCode.ts';
import { renderedImage } from './resources/images.ts';
import { scannedCode } from './resources/scannedCode.ts';
import { countScans } from './searches/countScans.ts';
import { findQrCode } from './searches/findQrCode.ts';
import { findScans } from './searches/findScans.ts';
import { hookTrigger } from './triggers/hookTrigger.ts';
import { newScan } from './triggers/newScan.ts';
import { otherEvent } from './triggers/otherEvent.ts';
import { qrChanged } from './triggers/qrChanged.ts';

/** Events whose data is known. */
const SEEN_EVENTS = EVENT_TYPES.filter((type) => !UNDOCUMENTED_EVENTS.includes(type));
/** The Zapier app. Saved Zaps contain the keys of its parts, so keys never change. */
const app = {
  version: packageJson.version,
  platformVersion,
  authentication,
  beforeRequest: [addApiKey],
  hydrators: { renderedImage, scannedCode },
  triggers: byKey<Trigger>([...SEEN_EVENTS.map(hookTrigger), otherEvent, qrChanged, newScan]),
  searches: byKey<Search>([findQrCode, findScans, countScans]),
  creates: byKey<Create>([createQrCode, publishQrCode, retargetQrCode, upsertQrCode, renderQrCode]),
  searchOrCreates: {
    find_qr_code: {
      key: 'find_qr_code',
      display: {
        label: 'Find or Create QR Code',
        description: 'Finds a QR code by its ID, short link or whole name, or creates one if none is found.',
      },
      search: findQrCode.key,
      create: createQrCode.key,
    },
  },
  flags: {
    cleanInputData: false,
    // The core handles all statuses, including 429.
    skipThrowForStatus: true,
    throwForThrottlingEarly: false,
    // The app only uses `z.request`, which Zapier logs anyway.
    skipHttpPatch: true,
  },
} satisfies App<Record<string, Trigger>, Record<string, Create>, Record<string, Search>>;

export default app;

function byKey<Part extends { key: string }>(parts: readonly Part[]): Record<string, Part> {
  return Object.fromEntries(parts.map((part) => [part.key, part]));
}
