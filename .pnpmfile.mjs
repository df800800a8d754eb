export const hooks = {
  readPackage(manifest) {
    // Only one file of this package is used, which bundles its dependencies: install none of them.
    if (manifest.name === '@scalar/api-reference') manifest.dependencies = {};
    // `node-linux-…` names its platform in a form that pnpm does not read: pnpm would install it everywhere.
    const [, os, cpu] = /^node-(linux)-(x64|arm64)$/.exec(manifest.name) ?? [];
    return os === undefined ? manifest : { ...manifest, os: [os], cpu: [cpu] };
  },
};
