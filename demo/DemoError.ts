/** Something that ends the demo and that a sentence explains; shown without a stack. */
export class DemoError extends Error {}
