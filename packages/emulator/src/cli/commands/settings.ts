import { omitUndefined } from '@qr-service/core/connector';
import type { Settings } from '../../config/options.ts';
import { DIMENSIONS } from '../../config/scanDimensions.ts';
import type { CommandDefinition, OptionValues } from '../support/command.ts';
import { readDimensions, readMilliseconds, readSwitch } from '../support/settings.ts';

/** `settings`: shows and changes the settings. */
export const SETTINGS: CommandDefinition = {
  name: 'settings',
  args: [],
  about: 'show or change scan dimensions, low-score notices and the delay of lists',
  options: {
    'scan-dimensions': {
      value: '<names>',
      help: `Scan dimensions that privacy settings allow, of\n${DIMENSIONS.join()}, or none.`,
    },
    'low-score-notices': {
      value: '<on|off>',
      help: 'Whether a low score fires feedback.low_score_received.',
    },
    'visible-after': {
      value: '<ms>',
      help: 'How long it takes until a change shows in lists.',
    },
  },
  help: `Changes the settings that are given, as in the workspace's privacy and feedback settings, and prints all
of them. The emulator keeps them until it stops.

  qr-service-emulator settings
  qr-service-emulator settings --scan-dimensions country,device --low-score-notices off`,
  async run({ values, emulator, print }) {
    const changes = readChanges(values);
    const { settings } = (await (Object.keys(changes).length === 0
      ? emulator.call('GET', '/settings')
      : emulator.call('PATCH', '/settings', changes))) as { settings: Settings };
    const { allowedDimensions, lowScoreNotices, visibleAfterMs } = settings;
    print(
      [
        `Scan dimensions    ${allowedDimensions.join(', ') || 'none'}`,
        `Low-score notices  ${lowScoreNotices ? 'on' : 'off'}`,
        `Visible after      ${visibleAfterMs} ms`,
      ].join('\n'),
      settings,
    );
  },
};

function readChanges(values: OptionValues): Partial<Settings> {
  const given = <Value>(name: string, read: (text: string) => Value) => {
    const text = values[name];
    return typeof text === 'string' ? read(text) : undefined;
  };
  return omitUndefined({
    allowedDimensions: given('scan-dimensions', readDimensions),
    lowScoreNotices: given('low-score-notices', readSwitch),
    visibleAfterMs: given('visible-after', readMilliseconds('visible-after')),
  });
}
