/** Clever lines, in all code, each with the plain form. */
const CLEVER = [
  {
    selector:
      ':matches(VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"], AssignmentExpression[left.type="ArrayPattern"][right.type="ArrayExpression"])',
    message: 'Set each variable in its own statement.',
  },
  {
    selector: 'ArrayPattern[elements.1=null]',
    message: 'Read the element by its index, or name the fields.',
  },
  {
    selector: 'CallExpression[callee.object.type="Literal"][callee.property.name="split"]',
    message: 'Write the list as an array.',
  },
  {
    selector: 'MemberExpression[computed=true][object.type=/^(Object|Array)Expression$/]',
    message: 'Choose by statements, or name the literal first.',
  },
  {
    selector: 'SpreadElement[argument.type="ObjectExpression"]',
    message: 'Write the contents without the spread.',
  },
  {
    selector: 'TSAsExpression[expression.type="Literal"][typeAnnotation.type="TSBooleanKeyword"]',
    message: 'Keep the value where TypeScript sees that it changes.',
  },
];

/** Expressions can return any value, so one module of each adapter reads all parameters, with the core's coercions. */
const readsOf = ({ reader, names }) =>
  [
    ...names.flatMap((name) => [`Identifier[name="${name}"]`, `Literal[value="${name}"]`]),
    'MemberExpression[object.callee.property.name="getNode"][property.name="parameters"]',
  ].map((selector) => ({ selector, message: `Only ${reader} reads parameters.` }));

const report = (context, restrictions) =>
  Object.fromEntries(
    restrictions.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
  );

/** The repository's own rules: .oxlintrc.jsonc */
export default {
  meta: { name: 'house' },
  rules: {
    'plain-code': { create: (context) => report(context, CLEVER) },
    'one-reader': {
      meta: { schema: false },
      create: (context) => report(context, readsOf(context.options[0])),
    },
  },
};
