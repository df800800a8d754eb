// The client alone: all of undici would bring node:sqlite with it.
import Client from 'undici/lib/dispatcher/client.js';

export { Client };
