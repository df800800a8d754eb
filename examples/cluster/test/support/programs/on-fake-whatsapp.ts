// Loaded into a process first: its WhatsApp is then on this machine.
import { redirectToFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ClientSettings } from '@trunkline/fake-whatsapp';

redirectToFakeWhatsApp(JSON.parse(process.env['FAKE_WHATSAPP'] ?? '') as ClientSettings); // the test put it there
