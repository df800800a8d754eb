import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nodeLinkPreviewer } from '@trunkline/core/node';
import type { PagePreview } from '../../src/spi/runtime.ts';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { Authority } from './certificates.ts';
import { Servers } from './servers.ts';

const servers = new Servers();
afterEach(() => servers.close());

const JPEG = Buffer.from('ffd8ffe0 not really', 'latin1').fill(Buffer.of(0xff, 0xd8, 0xff), 0, 3);
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const page = (image: string): string =>
  `<head><title>A page</title><meta name="description" content="About it"><meta property="og:image" content="${image}"></head>`;

/** The paths of a site, each with its response. */
type Site = Readonly<Record<string, RequestListener>>;

async function serve(site: Site): Promise<{ readonly port: number; readonly requested: readonly string[] }> {
  const requested: string[] = [];
  const { port } = await servers.http((request, response) => {
    requested.push(request.url ?? '');
    (site[request.url ?? ''] ?? ((_, missing) => missing.writeHead(404).end()))(request, response);
  });
  return { port, requested };
}

const respond =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = HTML, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const redirect = (location: string): RequestListener => respond('', { location }, 302);

interface Visit {
  readonly dns?: (hostname: string) => Promise<readonly string[]>;
  readonly policy?: 'local' | 'public';
  readonly signal?: AbortSignal;
}

const preview = (
  url: string,
  { dns = async () => ['127.0.0.1'], policy = 'local', signal = AbortSignal.timeout(HANG_MS) }: Visit = {},
): Promise<PagePreview | null> =>
  nodeLinkPreviewer({ dns: { resolve: dns } }).preview({ url, urlPolicy: policy }, signal);

describe('a page', () => {
  it('has its title, description and image', async () => {
    let agent: string | undefined;
    const { port, requested } = await serve({
      '/a?b': (request, response) => {
        agent = request.headers['user-agent'];
        respond(page('img/1.jpg'))(request, response);
      },
      '/img/1.jpg': respond(JPEG, { 'content-type': 'image/jpeg' }),
    });
    expect(await preview(`http://site.test:${port}/a?b#c`)).toEqual({
      title: 'A page',
      description: 'About it',
      image: JPEG,
    });
    expect(requested).toEqual(['/a?b', '/img/1.jpg']);
    expect(agent).toContain('Trunkline');
  });

  it.each([
    ['the header', 'text/html; charset=iso-8859-1', ''],
    ['the page', 'text/html', '<meta charset="windows-1252">'],
    ['neither, but in UTF-8', 'text/html; charset=nonsense', ''],
  ])('is read in the encoding that is named by %s', async (_, type, meta) => {
    const body = Buffer.from(`${meta}<title>é</title>`, type.includes('nonsense') ? 'utf8' : 'latin1');
    const { port } = await serve({ '/': respond(body, { 'content-type': type }) });
    expect(await preview(`http://site.test:${port}/`)).toMatchObject({ title: 'é' });
  });

  it('follows three redirects, and no more', async () => {
    const { port, requested } = await serve({
      '/1': redirect('/2'),
      '/2': redirect('3#x'),
      '/3': redirect(`http://other.test:1/`),
      '/4': redirect('/1'),
    });
    await expect(preview(`http://site.test:${port}/4`)).rejects.toMatchObject({ code: 'REDIRECT' });
    expect(requested).toEqual(['/4', '/1', '/2', '/3']);
    const last = await serve({ '/': redirect('/b'), '/b': respond('<title>B</title>') });
    expect(await preview(`http://site.test:${last.port}/`)).toMatchObject({ title: 'B' });
  });

  it.each([
    ['without a title', '<p>Hello', null],
    ['with an image of another kind', page('/file'), { title: 'A page', image: null }],
    ['with an image that is missing', page('/missing'), { title: 'A page', image: null }],
    ['with an image that is too large', page('/large'), { title: 'A page', image: null }],
    ['with an image that has no address', page('http://'), { title: 'A page', image: null }],
    ['with an image on the machine', page('file:///etc/passwd'), { title: 'A page', image: null }],
  ])('%s', async (_, html, expected) => {
    const image = { 'content-type': 'image/jpeg' };
    const { port } = await serve({
      '/': respond(html),
      '/file': respond('GIF89a', image),
      '/large': respond(Buffer.concat([JPEG, Buffer.alloc(700 * 1024)]), image),
    });
    const found = await preview(`http://site.test:${port}/`);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  it.each([
    ['an error', respond(page(''), HTML, 500), 'HTTP_ERROR'],
    ['another type', respond(page(''), { 'content-type': 'application/zip' }), 'HTTP_ERROR'],
    [
      'a compressed body',
      respond(gzipSync(Buffer.alloc(10 << 20)), { ...HTML, 'content-encoding': 'gzip' }),
      'HTTP_ERROR',
    ],
    ['a redirect to nowhere', respond('', HTML, 302), 'REDIRECT'],
  ])('that responds with %s has no preview', async (_, listener, code) => {
    const { port } = await serve({ '/': listener });
    await expect(preview(`http://site.test:${port}/`)).rejects.toMatchObject({ code });
  });

  it('is read up to a megabyte, and not beyond its head', async () => {
    let written = 0;
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, HTML).write('<title>Endless</title>');
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 32))) written += 64 * 1024;
      };
      response.on('drain', write);
      write();
    };
    const open: RequestListener = (_, response) => void response.writeHead(200, HTML).write(page(''));
    const { port } = await serve({ '/': endless, '/open': open });
    expect(await preview(`http://site.test:${port}/`)).toMatchObject({ title: 'Endless' });
    expect(written).toBeLessThan(64 << 20);
    expect(await preview(`http://site.test:${port}/open`)).toMatchObject({ title: 'A page' });
  });

  it('that never ends is abandoned, but a missing image costs only the image', async () => {
    const silent: RequestListener = () => {};
    const slow: RequestListener = (_, response) => void response.writeHead(200, HTML).write('<title>');
    const { port, requested } = await serve({
      '/': respond(page('/silent')),
      '/silent': silent,
      '/slow': slow,
    });
    const abort = new AbortController();
    const found = preview(`http://site.test:${port}/`, { signal: abort.signal });
    await eventually(() => expect(requested).toContain('/silent'));
    abort.abort(new Error('too late'));
    expect(await found).toMatchObject({ title: 'A page', image: null });

    for (const path of ['/silent', '/slow']) {
      const late = new AbortController();
      const count = requested.length;
      const never = preview(`http://site.test:${port}${path}`, { signal: late.signal });
      await eventually(() => expect(requested.length).toBeGreaterThan(count));
      late.abort(new Error('too late'));
      await expect(never).rejects.toThrow('too late');
    }
    await eventually(() => expect(servers.open).toBe(0));
  });
});

describe('an address that the rules refuse', () => {
  it.each([
    ['plain http', 'http://example.com/'],
    ['another port', 'https://example.com:8080/'],
    ['an address of this machine', 'https://127.0.0.1/'],
    ['a private address', 'https://[::ffff:10.0.0.1]/'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data'],
    ['a name with a private address', 'https://inside.test/'],
    ['a password', 'https://user:password@example.com/'],
  ])('is not connected to: %s', async (_, url) => {
    const dns = async (): Promise<readonly string[]> => ['8.8.8.8', '10.0.0.1'];
    await expect(preview(url, { policy: 'public', dns })).rejects.toMatchObject({ code: 'UNSAFE_URL' });
  });

  it.each([
    'https://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://rebound.test:{port}/secret',
    'file:///etc/passwd',
  ])('is not connected to after a redirect, nor for an image: %s', async (to) => {
    const dns = async (name: string): Promise<readonly string[]> =>
      name === 'rebound.test' ? ['10.0.0.1'] : ['127.0.0.1'];
    const { port, requested } = await serve({
      '/redirect': (request, response) => redirect(to.replace('{port}', String(port)))(request, response),
      '/image': (request, response) => respond(page(to.replace('{port}', String(port))))(request, response),
    });
    await expect(preview(`http://site.test:${port}/redirect`, { dns })).rejects.toMatchObject({
      code: 'UNSAFE_URL',
    });
    expect(await preview(`http://site.test:${port}/image`, { dns })).toMatchObject({ image: null });
    expect(requested).toEqual(['/redirect', '/image']);
  });

  it('is not connected to when the name has got another address since', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const dns = async (): Promise<readonly string[]> => answers.shift() ?? [];
    const { port, requested } = await serve({ '/': redirect('/again') });
    await expect(preview(`http://site.test:${port}/`, { dns })).rejects.toMatchObject({ code: 'UNSAFE_URL' });
    expect(requested).toEqual(['/']);
  });

  let authority: Authority;
  beforeAll(async () => {
    authority = await Authority.create();
  });

  it('is that of a server with the certificate of another name', async () => {
    const { key, cert } = await authority.issue({ names: ['site.test'] });
    const { port } = await servers.tls({ key, cert });
    const previewer = nodeLinkPreviewer({
      dns: { resolve: async () => ['127.0.0.1'] },
      tls: { ca: [authority.cert] },
    });
    const request = { url: `https://other.test:${port}/`, urlPolicy: 'local' as const };
    await expect(previewer.preview(request, AbortSignal.timeout(HANG_MS))).rejects.toMatchObject({
      code: 'TLS_FAILED',
    });
  });
});
