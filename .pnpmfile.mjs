// What is used of Scalar is one file that has its dependencies in it: none of them is installed.
export const hooks = {
  readPackage(manifest) {
    if (manifest.name === '@scalar/api-reference') manifest.dependencies = {};
    return manifest;
  },
};
