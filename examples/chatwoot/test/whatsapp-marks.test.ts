import { expect, it } from 'vitest';
import { whatsappMarks } from '../src/whatsapp-marks.ts';

it.each([
  ['**bold** and *italic* and _italic_', '*bold* and _italic_ and _italic_'],
  ['***both***, ~~gone~~', '_*both*_, ~gone~'],
  ['`a < b && "c"`', '`a < b && "c"`'],
  ['```js\nlet a = 1;\n```', '```let a = 1;```'],
  ['[our page](https://example.com/a?b=1&c=2)', 'our page (https://example.com/a?b=1&c=2)'],
  ['<https://example.com> https://example.org', 'https://example.com https://example.org'],
  ['[ada@example.com](mailto:ada@example.com)', 'ada@example.com'],
  ['2 \\* 3 \\* 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ['one\\\ntwo\nthree', 'one\ntwo\nthree'],
  ['first\n\nsecond', 'first\n\nsecond'],
  ['* one\n* **two**\n\nafter', '- one\n- *two*\n\nafter'],
  ['3. one\n4. two', '3. one\n4. two'],
  ['- one\n  - below\n- two', '- one\n  - below\n- two'],
  ['> said\n> twice', '> said\n> twice'],
  ['# Title\ntext', '*Title*\n\ntext'],
  ['a <b>c</b> & d', 'a <b>c</b> & d'],
  ['Olá, how are you? 1 < 2', 'Olá, how are you? 1 < 2'],
])('%j becomes %j', (markdown, text) => {
  expect(whatsappMarks(markdown)).toBe(text);
});
