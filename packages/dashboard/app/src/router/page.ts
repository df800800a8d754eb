import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { currentLanguage } from '../texts/current-language.ts';
import { loadAreas } from '../texts/loaded-texts.ts';
import type { Area } from '../texts/texts.ts';

/** A page whose file is fetched on demand, together with its texts. */
export function page<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
  areas: readonly Area[],
) {
  const loadWithTexts = async () => {
    const [module] = await Promise.all([load(), loadAreas(currentLanguage(), areas)]);
    return module;
  };
  return lazyRouteComponent(loadWithTexts, name);
}
