/** An expected failure that ends the demo. Only its message is shown, without a stack trace. */
export class DemoError extends Error {}
