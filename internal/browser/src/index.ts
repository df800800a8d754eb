export { testBrowser } from './test-browser.ts';
export type { KeptTab, Page, PageOptions, TestBrowser } from './test-browser.ts';
export type { Problems } from './problems.ts';
export { axe } from './axe.ts';
export { bytesReceived, firstPaint, heapBytes, slowDown } from './measure.ts';
export { inEachLook, picture, screenshot } from './screenshot.ts';
export type { Look } from './screenshot.ts';
