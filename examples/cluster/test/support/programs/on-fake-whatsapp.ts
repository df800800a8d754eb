// Preloaded into a process, which then uses the fake WhatsApp on this machine.
import { redirectToFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ClientSettings } from '@trunkline/fake-whatsapp';

redirectToFakeWhatsApp(JSON.parse(process.env['FAKE_WHATSAPP'] ?? '') as ClientSettings); // set by the test
