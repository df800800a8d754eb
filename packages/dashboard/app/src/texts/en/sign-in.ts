export const signIn = {
  title: 'Sign in',
  intro: 'With an API key you see its workspace, with the admin token all of them.',
  credential: 'API key or admin token',
  submit: 'Sign in',
  submitting: 'Signing in…',
  withLink: 'Signing in with the link…',
  linkFailed: 'The link could not sign you in. It works once, for an hour.',
  newLink: 'Print a new one on the server with:',
  noKey: 'No key at hand? This command on the server prints a link that signs you in:',
  command: 'the command',
  required: 'Enter an API key or a token.',
  elsewhere:
    'Sign-in is by the program that this dashboard is part of. Sign in there, then reload this page.',
};
