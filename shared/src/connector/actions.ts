/** What an action does. Platforms use different forms of the verb, so it is separate. */
export interface ActionDefinition {
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

/** The actions that every connector has. */
export const ACTIONS = {
  create: action(
    'Create',
    'Creates',
    'a dynamic QR code that points to a web address, published or as a draft',
  ),
  publish: action('Publish', 'Publishes', 'a QR code so that its short link works'),
  retarget: action('Update', 'Updates', 'the destination of a QR code (retarget it) without reprinting it'),
  render: action('Download', 'Creates', 'an image of a QR code, rendered as a PNG, SVG or PDF file'),
} as const satisfies Record<string, ActionDefinition>;
