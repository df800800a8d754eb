import { existsSync, readFileSync } from 'node:fs';

export type Command = readonly [string, ...string[]];

/** A page of docs/receive, and how to run the programs on it. */
export interface Language {
  readonly name: string;
  readonly page: string;
  /** Each command exits with 0 if the language is installed. */
  readonly needs: readonly Command[];
  /** Whether the language takes too long to be tested in every run. */
  readonly isSlow?: boolean;
  readonly build?: readonly Command[];
  /** Must print a line for each vector of its input. */
  readonly check: Command;
  /** Whether the program cannot read JSON on this machine, and prints `verified` for any signed body. */
  readonly leavesJson?: boolean;
  readonly servers: readonly LanguageServer[];
  /** Commands that run in the folder `library`. STANDARD_WEBHOOKS is the folder of the libraries' sources. */
  readonly library?: { readonly build?: readonly Command[]; readonly check: Command };
}

export interface LanguageServer {
  readonly name: string;
  readonly needs?: Command;
  readonly build?: readonly Command[];
  readonly run: (port: number) => Command;
  /** The attacks that the server does not withstand, as its page says. */
  readonly weaknesses?: readonly string[];
  readonly isQuick?: boolean;
  /** A line of a program on the page, and a replacement that makes the receiver's own code fail there. */
  readonly failing?: { readonly file: string; readonly line: string; readonly by: string };
}

const FLOOD = 'a body without end';
const UNSENT = 'a timestamp an hour old, and a body that is never sent: refused without it';

/** Where Debian installs these libraries. */
const JACKSON = ['core', 'databind', 'annotations'].map((name) => `/usr/share/java/jackson-${name}.jar`);
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';
const hasJackson = JACKSON.every((path) => existsSync(path));
const hasNewtonsoft = existsSync(NEWTONSOFT);
const classPath = ['out', ...JACKSON].join(':');
const JAVA_LIBRARY = '"$STANDARD_WEBHOOKS"/java/src/main';

export const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    page: 'python',
    needs: [['python3', '--version']],
    check: ['python3', 'check.py'],
    servers: [
      {
        name: 'http.server',
        run: () => ['python3', 'receiver.py'],
        isQuick: true,
        failing: {
          file: 'receiver.py',
          line: "    print(event['type'], event['id'], flush=True)",
          by: "    raise OSError('the database is away')",
        },
      },
      {
        name: 'Flask',
        needs: ['/usr/bin/python3', '-c', 'import flask'],
        run: (port) => ['/usr/bin/python3', '-m', 'flask', '--app', 'app', 'run', '-p', `${port}`],
        weaknesses: [FLOOD, UNSENT],
      },
    ],
    library: { check: ['sh', '-c', 'PYTHONPATH="$STANDARD_WEBHOOKS/python" python3 check.py'] },
  },
  {
    name: 'Go',
    page: 'go',
    needs: [['go', 'version']],
    build: [['go', 'build', '-o', 'check', 'webhook.go', 'check.go']],
    check: ['./check'],
    servers: [
      {
        name: 'net/http',
        build: [['go', 'build', '-o', 'receiver', 'webhook.go', 'main.go']],
        run: () => ['./receiver'],
      },
    ],
    library: {
      build: [
        // Go 1.19, which Debian has, lacks errors.Join.
        [
          'sh',
          '-c',
          'mkdir -p libraries/go && cp "$STANDARD_WEBHOOKS/go.mod" libraries && ' +
            'sed "s/errors.Join(err, ErrInvalidHeaders)/ErrInvalidHeaders/" "$STANDARD_WEBHOOKS/go/webhook.go" > libraries/go/webhook.go',
        ],
        ['go', 'build', '-o', 'check', '.'],
      ],
      check: ['./check'],
    },
  },
  {
    name: 'PHP',
    page: 'php',
    needs: [['php', '--version']],
    check: ['php', 'check.php'],
    servers: [
      {
        name: 'php -S',
        // PHP's default without a php.ini, which shows errors in a response with 200.
        run: (port) => ['php', '-d', 'display_errors=1', '-S', `127.0.0.1:${port}`, 'index.php'],
        failing: {
          file: 'index.php',
          line: '    error_log("$event->type $event->id");',
          by: "    throw new Exception('the database is away');",
        },
        weaknesses: [FLOOD, UNSENT],
      },
    ],
    library: { check: ['php', 'check.php'] },
  },
  {
    name: 'Ruby',
    page: 'ruby',
    needs: [['ruby', '--version']],
    check: ['ruby', 'check.rb'],
    servers: [
      {
        name: 'Puma',
        needs: ['puma', '--version'],
        run: (port) => ['puma', '-b', `tcp://127.0.0.1:${port}`, 'config.ru'],
        weaknesses: [FLOOD, UNSENT],
      },
    ],
    library: { check: ['sh', '-c', 'ruby -I "$STANDARD_WEBHOOKS/ruby/lib" check.rb'] },
  },
  {
    name: 'Java',
    page: 'java',
    needs: [['javac', '--version']],
    build: [
      hasJackson
        ? ['javac', '-cp', classPath, '-d', 'out', 'Webhook.java', 'Receiver.java', 'Check.java']
        : ['javac', '-d', 'out', 'Webhook.java', 'Check.java'],
    ],
    check: [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      classPath,
      'Check',
      ...(hasJackson ? ['Receiver'] : []),
    ],
    leavesJson: !hasJackson,
    servers: [
      {
        name: 'HttpServer',
        needs: ['test', '-e', JACKSON[1] ?? ''],
        run: () => ['java', '-cp', classPath, 'Receiver'],
      },
    ],
    library: {
      build: [
        [
          'sh',
          '-c',
          `javac -d out ${JAVA_LIBRARY}/java/com/standardwebhooks/WebhookBase.java ` +
            `${JAVA_LIBRARY}/java/com/standardwebhooks/exceptions/*.java ` +
            `${JAVA_LIBRARY}/java11/com/standardwebhooks/Webhook.java Library.java Check.java`,
        ],
      ],
      check: ['java', '-cp', 'out', 'Check'],
    },
  },
  {
    name: 'C#',
    page: 'csharp',
    needs: [
      ['mcs', '--version'],
      ['mono', '--version'],
    ],
    build: [
      hasNewtonsoft
        ? [
            'mcs',
            '-d:RECEIVER',
            '-main:Check',
            `-r:${NEWTONSOFT}`,
            '-out:check.exe',
            'Webhook.cs',
            'Receiver.cs',
            'Check.cs',
          ]
        : ['mcs', '-out:check.exe', 'Webhook.cs', 'Check.cs'],
    ],
    check: ['mono', 'check.exe'],
    leavesJson: !hasNewtonsoft,
    servers: [
      {
        name: 'HttpListener',
        needs: ['test', '-e', NEWTONSOFT],
        build: [['mcs', `-r:${NEWTONSOFT}`, '-out:receiver.exe', 'Webhook.cs', 'Receiver.cs']],
        run: () => ['mono', 'receiver.exe'],
        weaknesses: ['a signature header that comes twice', 'a timestamp header that comes twice'],
      },
    ],
    library: {
      build: [
        [
          'sh',
          '-c',
          'mcs -out:check.exe -recurse:"$STANDARD_WEBHOOKS/csharp/StandardWebhooks/*.cs" Library.cs Check.cs',
        ],
      ],
      check: ['mono', 'check.exe'],
    },
  },
  {
    name: 'Rust',
    page: 'rust',
    needs: [
      ['cargo', '--version'],
      ['sh', '-c', 'ls -d /usr/share/cargo/registry/tiny_http-*'],
    ],
    isSlow: true,
    build: [['cargo', 'build', '--offline', '--quiet']],
    check: ['target/debug/check'],
    servers: [{ name: 'tiny_http', run: () => ['target/debug/receiver'], weaknesses: [UNSENT] }],
  },
];

export function pageFiles(page: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../../../../docs/receive/${page}.md`, import.meta.url), 'utf8');
  return new Map(
    Array.from(text.matchAll(/^```\w+ title="(.*?)"\n(.*?)^```$/gms), ([, name = '', code = '']) => [
      name,
      code,
    ]),
  );
}
