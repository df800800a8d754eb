export const hooks = {
  readPackage(manifest) {
    // One file of it is used, which has its dependencies in it: none of them is installed.
    if (manifest.name === '@scalar/api-reference') manifest.dependencies = {};
    // It names its platform in a form that pnpm does not read, and would be installed on every one.
    const [, os, cpu] = /^node-(linux)-(x64|arm64)$/.exec(manifest.name) ?? [];
    return os === undefined ? manifest : { ...manifest, os: [os], cpu: [cpu] };
  },
};
