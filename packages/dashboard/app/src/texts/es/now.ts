import { pluralIn } from '../plural.ts';
import type { TextsOf } from '../texts.ts';

const plural = pluralIn('es');

export const now: TextsOf<'now'> = {
  title: 'Ahora',
  allWell: 'Todo está bien.',
  allWellDetail: (numbers) =>
    plural(numbers, { one: '# número está conectado.', other: '# números están conectados.' }),
  nothingYet: 'Todavía no hay ningún número.',
  nothingYetHint: 'Añada el primero: hace falta un teléfono y un minuto.',
  toNumbers: 'Ir a Números',
  numbersDown: (count) => plural(count, { one: '# número está caído.', other: '# números están caídos.' }),
  numbersWaiting: (count) =>
    plural(count, { one: '# número necesita atención.', other: '# números necesitan atención.' }),
  numbersConnecting: (count) =>
    plural(count, { one: '# número se está conectando.', other: '# números se están conectando.' }),
  messagesWaiting: (count) => plural(count, { one: '# mensaje espera.', other: '# mensajes esperan.' }),
  waiting: 'Mensajes que esperan',
  waitingCaption: 'Números cuyos mensajes esperan más de un minuto, primero los que más',
  messages: 'Mensajes',
  oldest: 'El más antiguo desde hace',
  hours: 'Mensajes en las últimas 24 horas',
  hoursSummary: (total, most) => `${total} enviados y recibidos, como mucho ${most} en una hora.`,
  hoursTable: 'Como tabla',
  hoursCaption: 'Horas con mensajes, primero las más antiguas',
  hour: 'Hora desde',
  webhooksDown: (count) =>
    plural(count, { one: '# webhook está desactivado.', other: '# webhooks están desactivados.' }),
  webhooksFailing: (count) => plural(count, { one: '# webhook falla.', other: '# webhooks fallan.' }),
  numbers: 'Números',
  numbersCaption: 'Números que necesitan atención o se están conectando, primero los peores',
  numbersWell: (count) =>
    plural(count, { one: '# número no necesita atención.', other: '# números no necesitan atención.' }),
  webhooks: 'Webhooks',
  webhooksCaption: 'Webhooks que no entregan, primero los peores',
  webhooksWell: (count) =>
    plural(count, { one: '# webhook no necesita atención.', other: '# webhooks no necesitan atención.' }),
  noWebhooks: 'Ningún webhook: sus sistemas no reciben avisos de lo que ocurre.',
  name: 'Nombre',
  address: 'Dirección',
  status: 'Estado',
  since: 'Desde hace',
  toWebhooks: 'Ir a Webhooks',
  toChats: 'Ir a Chats',
  toKeys: 'Ir a Claves de API',
  firstSteps: 'Primeros pasos',
  stepNumber: 'Vincular un número',
  stepMessage: 'Enviar un primer mensaje',
  stepWebhook: 'Añadir un webhook, para que sus sistemas reciban avisos',
  stepKey: 'Crear una clave de API para su programa',
  stepDone: 'hecho',
  stepUndone: 'por hacer',
  next: 'Después',
  disabledIn: 'se desactiva en',
  cause: 'Causa',
  disabled: 'Desactivado',
  failing: 'Falla',
  restricted: 'Restringido',
  disabledBecause: { manual: 'a mano', auto_no_delivery_72h: 'nada llegó en 72 h' },
  lastResponse: (status) => `última respuesta: ${status}`,
  noResponse: 'sin respuesta',
};
