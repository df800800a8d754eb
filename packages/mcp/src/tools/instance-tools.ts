import { RESOURCES } from '@trunkline/http/spi';
import * as z from 'zod';
import { cursor, idOf, limit, LONGEST_IN_PAGE, nextCursor } from './fields.ts';
import { defineTool, done } from './tool.ts';
import type { Tool } from './tool.ts';

const OF_INSTANCE = ['name', 'profile_name'];
const HISTORY_WITH_INSTANCE = 10;

export const INSTANCE_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'list_instances',
    title: 'List instances',
    description:
      'Lists the instances (linked phone numbers) of the workspace with their status. Only a connected instance sends and receives.',
    offeredTo: 'instances:read',
    input: {},
    output: { data: z.array(RESOURCES.instance) },
    untrusted: OF_INSTANCE.map((field) => `data[].${field}`),
    longestText: LONGEST_IN_PAGE,
    async handle(_, { api }) {
      return done({ data: [...(await api.instances.list()).data] });
    },
  }),
  defineTool({
    name: 'get_instance',
    title: 'Why is an instance down?',
    description:
      'Returns an instance and the latest entries of its history: what happened, why, and what comes next, newest first. This says why a number is down.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)') },
    logged: ['instance'],
    output: { instance: RESOURCES.instance, history: z.array(RESOURCES.historyEntry) },
    untrusted: OF_INSTANCE.map((field) => `instance.${field}`),
    longestText: LONGEST_IN_PAGE,
    async handle({ instance: id }, { api }) {
      const instance = await api.instances.get(id);
      const { data } = await api.instances.history(id, { limit: HISTORY_WITH_INSTANCE });
      return done({ instance, history: [...data] });
    },
  }),
  defineTool({
    name: 'list_instance_history',
    title: 'History of an instance',
    description: 'Lists what happened to an instance, with the reason and what came next, newest first.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)'), limit, cursor },
    logged: ['instance'],
    output: { data: z.array(RESOURCES.historyEntry), next_cursor: nextCursor },
    untrusted: [],
    longestText: LONGEST_IN_PAGE,
    async handle({ instance, ...page }, { api }) {
      const { data, nextCursor: next } = await api.instances.history(instance, page);
      return done({ data: [...data], next_cursor: next });
    },
  }),
  defineTool({
    name: 'list_groups',
    title: 'List groups',
    description: 'Lists the groups that an instance is in, by name.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)') },
    logged: ['instance'],
    output: {
      data: z.array(RESOURCES.group),
      left_out: z.int().min(0).describe('How many more groups there are.'),
    },
    untrusted: ['data[].name'],
    longestText: LONGEST_IN_PAGE,
    async handle({ instance }, { api }) {
      const { data: groups } = await api.instances.groups(instance);
      const data = groups.slice(0, MOST_GROUPS);
      return done({ data, left_out: groups.length - data.length });
    },
  }),
];

const MOST_GROUPS = 200;
