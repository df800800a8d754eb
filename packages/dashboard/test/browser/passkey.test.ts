import { axe, screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab } from '../support/tab.ts';

const browser = await testBrowser();

/** A number that shows its QR, on its page of the dashboard. */
async function linking() {
  const served = await serveDashboard();
  const api = served.trunkline.workspace(served.workspaceId);
  const { id } = await api.instances.create({ name: 'Support' });
  await api.instances.connect(id);
  await eventually(() => api.instances.qr(id));
  const tab = await signedInTab(browser, served);
  // The page asks for a step that may be over by then, or for a QR that has been scanned.
  tab.problems.allow(/status of 409/);
  await tab.page.goto(tab.at(`/numbers/${id}`));
  return { ...served, ...tab, api, id };
}

/** Gives the browser of the page a passkey of `localhost`. */
async function addPasskey(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await session.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: Buffer.from('the passkey').toString('base64'),
      isResidentCredential: true,
      rpId: 'localhost',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      userHandle: Buffer.from('ada').toString('base64'),
      signCount: 0,
    },
  });
}

describe.skipIf(browser.missing !== null)('a number whose account has a passkey', () => {
  it('is linked by the answer of a browser that ran the script on a page of the passkey', async () => {
    const { page, at, problems, origin, api, id, sandbox } = await linking();
    await sandbox.phone(id).scan({ passkey: true });
    await page.goto(at('/numbers'));
    await page.getByRole('cell', { name: 'Needs its passkey' }).waitFor();
    await page.goto(at(`/numbers/${id}`));
    await page.getByRole('heading', { name: 'Use the passkey' }).waitFor();
    await page.getByText('The network now asks for the passkey of its account.').waitFor();
    await screenshot(page, 'passkey');
    expect(await axe(page)).toEqual([]);
    const script = await page.getByLabel('Script').inputValue();

    const { page: other } = await browser.open();
    const address = `http://localhost:${new URL(origin).port}/another-service`;
    // The policy of web.whatsapp.com is this strict about scripts and requests.
    const headers = {
      'Content-Security-Policy':
        "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    };
    await other.route(address, (route) =>
      route.fulfill({ contentType: 'text/html', headers, body: '<title>Another service</title>' }),
    );
    await other.goto(address);
    await addPasskey(other);
    await other.evaluate(script);
    await screenshot(other, 'passkey-script');
    await other.getByRole('button', { name: 'Use passkey' }).click();
    const answer = await other.getByRole('textbox').inputValue();
    await other.getByRole('button', { name: 'Copy' }).click();
    await other.getByRole('button', { name: 'Copied' }).waitFor();

    const paste = page.getByLabel('Answer');
    await paste.fill(answer.slice(0, 100));
    await page.getByRole('button', { name: 'Link the number' }).click();
    await page.getByText('This is not the whole answer').waitFor();
    problems.allow(/status of 422/);
    await paste.fill('{}');
    await page.getByRole('button', { name: 'Link the number' }).click();
    await page.getByText('Is required.').first().waitFor();
    await paste.fill(answer);
    await page.getByRole('button', { name: 'Link the number' }).click();
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected', last_error: null });
  });

  it.runIf(isLongForm)('is linked once a person has compared the code', async () => {
    const { page, api, id, sandbox } = await linking();
    const phone = sandbox.phone(id);
    await phone.scan({ passkey: 'then_code' });
    await api.instances.answerPasskey(id, await phone.signPasskey());
    const { code } = await api.instances.passkey(id);
    await page.getByText(code ?? 'no code', { exact: true }).waitFor();
    await screenshot(page, 'passkey-code');
    await page.getByRole('button', { name: 'Yes, link the number' }).click();
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
  });
});
