export { createDashboard } from './create-dashboard.ts';
export type { Dashboard } from './create-dashboard.ts';
export type { DashboardOptions } from './dashboard-options.ts';
export type { DashboardAccess } from './access.ts';
export type { DashboardTrunkline } from './session.ts';
export { createSignIn } from './sign-in/create-sign-in.ts';
export type { SignInOptions } from './sign-in/create-sign-in.ts';
export type { SignIn } from './sign-in/sign-in.ts';
