export const settings = `
CREATE TABLE trunkline.settings (
  name  text PRIMARY KEY,
  value text NOT NULL
);
`;
