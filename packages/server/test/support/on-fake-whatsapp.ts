// Preloaded into a server; redirects it to a WhatsApp on this machine.
import { redirectToFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { ClientSettings } from '@trunkline/fake-whatsapp';

redirectToFakeWhatsApp(JSON.parse(process.env['FAKE_WHATSAPP'] ?? '') as ClientSettings); // the test sets the variable
