/** What an action does. Platforms use different forms of the verb, so it is separate. */
interface ActionDefinition {
  /** The verb as an imperative, for example `Create`. */
  command: string;
  /** The verb of a statement, for example `Creates`. */
  statement: string;
  /** What follows the verb. */
  object: string;
}

const action = (command: string, statement: string, object: string): ActionDefinition => ({
  command,
  statement,
  object,
});

/** The label of the action that creates a code or updates where the existing one points. */
export const UPSERT_LABEL = 'Create or Update';

/** The actions that every connector has. */
export const ACTIONS = {
  create: action(
    'Create',
    'Creates',
    'a dynamic QR code that points to a web address, published or as a draft',
  ),
  publish: action('Publish', 'Publishes', 'a QR code so that its short link works'),
  retarget: action('Update', 'Updates', 'the destination of a QR code (retarget it) without reprinting it'),
  upsert: action(
    'Update',
    'Updates',
    'the destination of a QR code (retarget it), or create and publish one if there is none yet',
  ),
  render: action('Download', 'Creates', 'an image of a QR code, rendered as a PNG, SVG or PDF file'),
} as const satisfies Record<string, ActionDefinition>;
