// The oxlint rules that no built-in rule covers.

/** The time must be an argument or come from the injected clock, so that a test can choose it. */
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

/** The longest time that a test waits for anything (`HANG_MS` of test-support). */
const HANG_MS = 60_000;
const LIMIT =
  /^(?:timeout|\w+Timeout|(?:timeout|\w+Timeout|within|limit|total|connect|deadline|stalledAfter)Ms)$/;
const TEST = /^(?:it|test|describe)$/;
const BOUND = /^toBeLessThan(?:OrEqual)?$/;

/**
 * A busy machine may exceed a short limit, so a test states its purpose: `HANG_MS` if something has to arrive,
 * `elapsing(…)` if the limit itself has to pass. The rule ignores multiples of an imported unit (`30 * SECOND`), which
 * a manual clock measures.
 */
const noShortLimit = {
  create(context) {
    const check = (node) => {
      const ms = node === undefined ? NaN : valueOf(node, context.sourceCode.ast);
      if (!(ms > 0 && ms < HANG_MS)) return;
      context.report({
        node,
        message: `A busy machine may take more than ${ms} ms: HANG_MS, or elapsing(${ms}) if it has to pass (test-support).`,
      });
    };
    return {
      Property(node) {
        if (LIMIT.test(node.key.name ?? node.key.value) && !isExpectation(node)) check(node.value);
      },
      CallExpression({ callee, arguments: given }) {
        const [name, object] = [nameOf(callee), callee.object];
        if (object?.name === 'AbortSignal' && name === 'timeout') check(given[0]);
        if (name === 'until') check(given[2]);
        if (name === 'printed' || name === 'query') check(given[1]); // `query` of a WhatsApp socket
        if (name === 'setTimeout' && rejects(given[0])) check(given[1]);
        if (TEST.test(rootOf(callee))) check(given[2]);
        if (BOUND.test(name) && isElapsedTime(object)) check(given[0]);
      },
    };
  },
};

/** The value of a number, a computation with numbers, or a module constant with such a value; else NaN. */
function valueOf(node, module) {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : NaN;
  if (node.type === 'Identifier') {
    const init = module.body
      .flatMap((statement) => (statement.declaration ?? statement).declarations ?? [])
      .find(({ id }) => id.name === node.name)?.init;
    return init ? valueOf(init, module) : NaN;
  }
  if (node.type !== 'BinaryExpression') return NaN;
  const [left, right] = [valueOf(node.left, module), valueOf(node.right, module)];
  if (node.operator === '+') return left + right;
  return node.operator === '*' ? left * right : NaN;
}

/** Whether the node is in a matcher's argument, which limits nothing. */
function isExpectation(node) {
  for (let at = node; at; at = at.parent) {
    if (at.type === 'CallExpression' && /^to[A-Z]/.test(nameOf(at.callee))) return true;
    if (at.type.endsWith('Statement')) return false;
  }
  return false;
}

const nameOf = (callee) => callee.property?.name ?? callee.name ?? '';

/** Returns `it` for `it.each([…])(…)`. */
function rootOf(callee) {
  let at = callee;
  while (at.object ?? at.callee) at = at.object ?? at.callee;
  return at.name ?? '';
}

/** Matches `setTimeout(() => reject(…), …)` and `setTimeout(reject, …)`. */
function rejects(callback) {
  const called = callback?.body?.type === 'CallExpression' ? callback.body.callee : callback;
  return called?.name?.startsWith('reject') ?? false;
}

/** Matches `expect(performance.now() - begun)`. */
function isElapsedTime(expectation) {
  const [measured] = expectation?.arguments ?? [];
  const from =
    measured?.type === 'BinaryExpression' && measured.operator === '-' ? measured.left.callee : null;
  return ['performance', 'Date'].includes(from?.object?.name) && nameOf(from) === 'now';
}

/** Openings that leave a reader to guess the noun, and words that read as translated. docs/maintaining.md says what to write. */
const OPENING =
  /^(?:What|Who|Whom|Until when|One that|Those (?:that|of)|Of (?:the|an?|this|these|each)|With the|Not (?:through|by)|None|Nobody)\b/;
const WORDS = /\b(?:mend(?:s|ed|ing)?|anew|beside|in good order|takes? the place of|former)\b/i;

const plainComments = {
  create(context) {
    const { sourceCode } = context;
    /** Whether a `//` line continues a comment that began on an earlier line. */
    const continues = (comment, before) =>
      comment.type === 'Line' &&
      before?.type === 'Line' &&
      before.loc.end.line === comment.loc.start.line - 1;
    return {
      Program() {
        const comments = sourceCode.getAllComments();
        for (const [index, comment] of comments.entries()) {
          const text = comment.value.replace(/^[*\s/]+/, '');
          const opening = continues(comment, comments[index - 1]) ? null : OPENING.exec(text);
          const found = opening ?? WORDS.exec(text);
          if (found) context.report({ loc: comment.loc, message: `Plain words, please: not "${found[0]}".` });
        }
      },
    };
  },
};

export default {
  meta: { name: 'trunkline' },
  rules: {
    'no-date-of-now': noDateOfNow,
    'no-short-limit': noShortLimit,
    'plain-comments': plainComments,
  },
};
