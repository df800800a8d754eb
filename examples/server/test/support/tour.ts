import type { Page } from '@trunkline/browser';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const TOUR = new URL('../../../../docs/dashboard-tour.md', import.meta.url);

export interface Tour {
  /** Continues with the next step of the page, which must have this title. */
  step(title: string): void;
  /** Checks words in italics: the current step must contain exactly these. */
  said(words: string): string;
  /** Takes the picture of the current step, with RECORD=1. Otherwise, the page must have one. */
  picture(page: Page): Promise<void>;
  /** Fails if steps, or words in italics, were skipped. */
  end(): void;
}

/** docs/dashboard-tour.md, to be followed step by step. */
export function readTour(): Tour {
  const [, ...steps] = readFileSync(TOUR, 'utf8').split(/^## (?=\d+\. )/m);
  let current = 0;
  const unsaid = new Set<string>();
  const end = (): void => expect([...unsaid], `what step ${current} says, and nobody has tried`).toEqual([]);
  return {
    step(title) {
      end();
      const text = steps[current] ?? '';
      current += 1;
      expect(text.split('\n', 1)).toEqual([`${current}. ${title}`]);
      for (const [, words = ''] of text.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)) unsaid.add(words);
    },
    said(words) {
      expect(steps[current - 1], `step ${current}`).toContain(`*${words}*`);
      unsaid.delete(words);
      return words;
    },
    async picture(page) {
      const [, name] = /!\[[^\]]+\]\(images\/(.+)\)/.exec(steps[current - 1] ?? '') ?? [];
      expect(name).toBe(`dashboard-tour-${current}.png`);
      const path = fileURLToPath(new URL(`images/${name}`, TOUR));
      if (process.env['RECORD'] === '1') {
        // A toast must not be in the picture.
        await page.locator('[class*=toast] p').last().waitFor({ state: 'detached' });
        await page.screenshot({ path, animations: 'disabled' });
      }
      expect(existsSync(path), path).toBe(true);
    },
    end() {
      end();
      expect(current).toBe(steps.length);
    },
  };
}
