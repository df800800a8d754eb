// The oxlint rule that no built-in one covers.

/** The time is an argument or comes from the injected clock, so that a test can choose it. */
const noDateOfNow = {
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message: 'The current time comes from an argument or the clock: new Date(now).',
      });
    return {
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) report(node);
      },
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'Date') report(node);
      },
    };
  },
};

export default {
  meta: { name: 'trunkline' },
  rules: { 'no-date-of-now': noDateOfNow },
};
