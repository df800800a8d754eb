// Runs the steps of a Dockerfile without Docker. Each stage is a directory that acts as the root of its image, so a RUN
// must not use absolute paths, and uses this machine's programs instead of the base image's.

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';

/**
 * Builds the last stage in a directory below `work`. The build context is the Dockerfile's directory, where `context`
 * replaces some directories. Resolves with the root of the stage, and with the image's settings for a container: `env`,
 * `cwd`, `user`, and, as lists of arguments, `command` and `healthcheck`.
 */
export async function runDockerfile(path, { work, context = {}, env = {} }) {
  const stages = new Map();
  const globals = {};
  let stage;
  const steps = {
    FROM: async (_, step) => {
      const name = step.getBuildStage() ?? String(stages.size);
      stage = { root: join(work, name), cwd: '/', args: {}, env: {} };
      stages.set(name, stage);
      await mkdir(stage.root);
    },
    ARG: async (text) => {
      const [, name, value = ''] = /^(\w+)(?:="?(.*?)"?)?$/s.exec(text) ?? [];
      (stage?.args ?? globals)[name] = env[name] ?? value;
    },
    ENV: async (_, step) => {
      for (const property of step.getProperties()) stage.env[property.getName()] = property.getValue();
    },
    WORKDIR: async (text) => {
      stage.cwd = text;
      await mkdir(stage.root + text, { recursive: true });
    },
    COPY: async (_, step) => {
      const from = step
        .getFlags()
        .find((flag) => flag.getName() === 'from')
        ?.getValue();
      const [source, target] = step.getArguments().map((argument) => argument.getValue());
      const origin = stages.get(from)?.root ?? dirname(path);
      const given = from === undefined ? context[basename(source)] : undefined;
      await cp(
        given ?? join(origin, source),
        join(stage.root, target.startsWith('/') ? '' : stage.cwd, target),
        {
          recursive: true,
        },
      );
    },
    RUN: async (text) => {
      const absolute = /(?<=^|[\s"'=])\/\S*/.exec(text);
      if (absolute) throw new Error(`RUN names the absolute path ${absolute[0]}, which only an image has.`);
      await promisify(execFile)('sh', ['-euc', text], {
        cwd: stage.root + stage.cwd,
        env: { ...process.env, ...env, ...stage.args, ...stage.env },
      });
    },
    USER: async (text) => void (stage.user = text),
    ENTRYPOINT: async (text) => void (stage.entrypoint = JSON.parse(text)),
    CMD: async (text) => void (stage.cmd = JSON.parse(text)),
    HEALTHCHECK: async (text) => void (stage.healthcheck = JSON.parse(/CMD (.*)$/s.exec(text)[1])),
    EXPOSE: async () => {},
    VOLUME: async () => {},
  };
  const file = DockerfileParser.parse(await readFile(path, 'utf8'));
  for (const step of file.getInstructions()) {
    const run = steps[step.getKeyword()];
    if (run === undefined) throw new Error(`No step is known for ${step.getInstruction()}.`);
    await run(step.getArgumentsContent() ?? '', step);
  }
  const { root, cwd, user, entrypoint = [], cmd = [], healthcheck } = stage;
  return { root, cwd, user, env: stage.env, command: [...entrypoint, ...cmd], healthcheck };
}
