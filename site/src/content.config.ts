import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema, i18nSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';

export const collections = {
  docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }),
  // Starlight's own texts, one of which is replaced; Astro warns about an empty collection.
  i18n: defineCollection({
    loader: () => [{ id: 'en', 'page.editLink': 'Edit this page on GitHub' }],
    schema: i18nSchema(),
  }),
};
