import { pluralIn } from '../plural.ts';
import type { TextsOf } from '../texts.ts';

const plural = pluralIn('es');

export const events: TextsOf<'events'> = {
  title: 'Eventos',
  listTitle: 'Lo que ocurre',
  type: 'Tipo',
  number: 'Número',
  fromNow:
    'Aquí se muestra lo que ocurre a partir de ahora. Elija un número para ver también sus últimos eventos.',
  waiting: 'No ha ocurrido nada desde que se abrió esta página.',
  noneMatch: 'Ningún evento coincide.',
  pause: 'Pausar',
  resume: 'Continuar',
  pausedWith: (count) =>
    plural(count, {
      one: 'En pausa: espera # evento nuevo.',
      other: 'En pausa: esperan # eventos nuevos.',
    }),
  gap: 'La conexión se interrumpió: aquí pueden faltar eventos.',
  notLive: {
    connecting: 'Se está abriendo la conexión que trae los eventos.',
    polling: 'La conexión que trae los eventos no pasa. Se vuelve a intentar.',
    offline: 'No se puede llegar al servicio. Pueden faltar los eventos que ocurran entretanto.',
    paused: 'Esta página estuvo un rato en segundo plano. Ahora se conecta de nuevo.',
  },
  message: 'Mensaje',
  body: 'Cuerpo del evento',
  deliveries: 'Entregas',
  noDelivery: 'Ningún webhook lo recibe.',
};
