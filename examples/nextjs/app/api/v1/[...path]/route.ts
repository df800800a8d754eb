import { handlers } from '@/trunkline';

export const { DELETE, GET, HEAD, PATCH, POST, PUT } = handlers;
