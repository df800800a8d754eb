import { allSettings } from '../src/settings/settings.ts';

/** Settings whose values the image and the chart fix. */
const OF_THE_IMAGE = ['HOST', 'PORT', 'DATA_DIR', 'METRICS_ADDRESS'];
/** Settings that contain a password. */
const WITH_PASSWORD = ['DATABASE_URL'];

/** Returns `schema`, the chart's values.schema.json, with the names of all current settings. */
export function withSettingNames(schema: string): string {
  const isSecret = (variable: string, secret: boolean): boolean => secret || WITH_PASSWORD.includes(variable);
  const names = (secret: boolean): readonly string[] =>
    allSettings()
      .filter((setting) => isSecret(setting.variable, setting.isSecret) === secret)
      .map(({ variable }) => variable)
      .filter((variable) => !OF_THE_IMAGE.includes(variable));
  const values = JSON.parse(schema);
  values.properties.settings.propertyNames = { enum: names(false) };
  values.properties.secret.properties.values.propertyNames = { enum: names(true) };
  return `${JSON.stringify(values, null, 2)}\n`;
}
