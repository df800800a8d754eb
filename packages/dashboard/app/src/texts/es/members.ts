import type { TextsOf } from '../texts.ts';

export const members: TextsOf<'members'> = {
  title: 'Miembros',
  caption: 'Miembros, arriba quienes se añadieron primero',
  add: 'Añadir un miembro',
  addTitle: 'Añadir un miembro',
  create: 'Añadir',
  change: 'Cambiar',
  changeOne: (email: string) => `Cambiar ${email}`,
  changeTitle: 'Cambiar un miembro',
  email: 'Correo electrónico',
  verified: 'Dirección',
  verifiedStates: { yes: 'Verificada', no: 'Sin verificar' },
  verifiedLabel: 'La dirección está verificada',
  verifiedHint: 'Hasta entonces, las claves de este miembro no pueden cambiar webhooks.',
  role: 'Función',
  roles: { administrator: 'Administra webhooks', member: 'Miembro' },
  roleHint:
    'Quien administra webhooks recibe un correo cuando un webhook falla o se desactiva, en una dirección verificada.',
  added: 'Añadido',
  remove: 'Quitar',
  removeOne: (email: string) => `Quitar ${email}`,
  removeTitle: (email: string) => `¿Quitar ${email}?`,
  removeText: 'Las claves creadas para este miembro se revocan, y no se pueden recuperar.',
  removeKeys: (names: string) => `Son: ${names}.`,
  removeNoKeys: 'Este miembro no tiene ninguna clave activa.',
  done: { add: 'Añadido.', change: 'Cambiado.', remove: 'Quitado.' },
  empty: 'Aún no hay miembros.',
  emptyHint:
    'Los miembros son las personas de un espacio: se pueden crear claves de API para ellos, y se les avisa cuando un webhook falla.',
};
