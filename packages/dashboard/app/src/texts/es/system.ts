import { pluralIn } from '../plural.ts';
import type { TextsOf } from '../texts.ts';

const plural = pluralIn('es');

export const system: TextsOf<'system'> = {
  title: 'Sistema',
  allWell: 'Todo está bien.',
  allWellDetail: (count) =>
    plural(count, { one: '# proceso ejecuta el servicio.', other: '# procesos ejecutan el servicio.' }),
  silentProcesses: (count) =>
    plural(count, { one: '# proceso no responde.', other: '# procesos no responden.' }),
  nobody: {
    gateway: 'Ningún proceso mantiene los números: nada se envía ni se recibe.',
    webhooks: 'Ningún proceso envía webhooks.',
    maintenance: 'Ningún proceso hace el mantenimiento: nada antiguo se borra y a nadie se avisa.',
  },
  unheld: (count) =>
    plural(count, {
      one: 'Ningún proceso mantiene # número.',
      other: 'Ningún proceso mantiene # números.',
    }),
  messagesOverdue: (count, distance) =>
    plural(count, {
      one: `Un mensaje espera desde hace ${distance} a ser enviado.`,
      other: `# mensajes esperan a ser enviados, el más antiguo desde hace ${distance}.`,
    }),
  deliveriesOverdue: (count, distance) =>
    plural(count, {
      one: `Una entrega de webhook no llega desde hace ${distance}.`,
      other: `# entregas de webhook no han llegado, la más antigua desde hace ${distance}.`,
    }),

  processes: 'Procesos',
  processesCaption: 'Procesos del servicio, primero los que no responden',
  noProcesses: 'Todavía no ha informado ningún proceso.',
  noProcessesHint: 'Cada uno lo hace justo después de arrancar. Un proceso sin tareas no aparece.',
  process: 'Proceso',
  does: 'Tareas',
  roles: {
    api: 'API',
    gateway: 'números',
    webhooks: 'webhooks',
    maintenance: 'mantenimiento',
    handlers: 'manejadores',
  },
  holds: 'Mantiene',
  holdsNumbers: (count) => plural(count, { one: '# número', other: '# números' }),
  runsFor: 'En marcha',
  memory: 'Memoria',
  busy: 'Ocupado',
  report: 'Informe',
  silent: 'No responde',
  reports: 'Informa',
  silentHint:
    'Un proceso que no informa desde hace más de un minuto ha muerto, está bloqueado o no alcanza la base de datos: su registro dice más. Sigue en la lista durante una hora.',

  waiting: 'Lo que espera',
  nothing: 'nada',
  oldestFor: 'lo más antiguo desde hace',
  messages: 'Mensajes por enviar',
  deliveries: 'Entregas de webhooks',
  failingWebhooks: 'Webhooks que fallan, con entregas abandonadas',
  downloads: 'Archivos por recibir',
  events: 'Eventos para manejadores',
  exhaustedEvents: 'Eventos que su manejador abandonó',

  handlers: 'Manejadores',
  handlersCaption: 'Manejadores en sus propios procesos, y los eventos que los esperan',
  noHandlers: 'Ningún manejador.',
  noHandlersHint: 'Un programa que integra el servicio los registra con trunkline.on().',
  handler: 'Manejador',
  types: 'Eventos',
  waits: 'En espera',
  exhausted: 'Abandonados',
  retry: 'Reintentar',
  retryOne: (name) => `Reintentar los eventos que ${name} abandonó`,
  retried: (requeued) =>
    plural(requeued, { one: '# evento tiene un intento más.', other: '# eventos tienen un intento más.' }),
  remove: 'Borrar',
  removeOne: (name) => `Borrar ${name}`,
  removeTitle: (name) => `¿Borrar ${name}?`,
  removeText:
    'Los eventos que lo esperan se borran con él. Borre solo lo que ningún programa registra ya: el que lo registre lo tendrá de nuevo, vacío, en su próximo arranque.',
  removed: 'Borrado.',

  database: 'Base de datos y versiones',
  product: 'Base de datos',
  size: 'Tamaño',
  schema: 'Versión del esquema',
  inMemory: 'en memoria: se pierde al final del proceso',
  version: 'Trunkline',
};
