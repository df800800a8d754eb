import type { TextsOf } from '../texts.ts';

export const signIn: TextsOf<'signIn'> = {
  title: 'Iniciar sesión',
  intro: 'Con una clave de API ve su espacio de trabajo; con el token de administración, todos.',
  credential: 'Clave de API o token de administración',
  submit: 'Iniciar sesión',
  submitting: 'Iniciando sesión…',
  withLink: 'Iniciando sesión con el enlace…',
  linkFailed: 'El enlace no pudo iniciar la sesión. Funciona una sola vez, durante una hora.',
  newLink: 'Imprima uno nuevo en el servidor con:',
  noKey: '¿Sin clave? Esta orden imprime en el servidor un enlace que inicia la sesión:',
  command: 'la orden',
  required: 'Escriba una clave de API o un token.',
  elsewhere:
    'La sesión la inicia el programa del que forma parte este panel. Inicie sesión allí y recargue esta página.',
};
