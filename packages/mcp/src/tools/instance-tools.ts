import { RESOURCES } from '@trunkline/http/spi';
import * as z from 'zod';
import { cursor, idOf, limit, LONGEST_IN_PAGE } from './fields.ts';
import { listTool } from './list-tool.ts';
import { defineTool, done } from './tool.ts';
import type { Tool } from './tool.ts';

const OF_INSTANCE = ['name', 'profile_name'];
const HISTORY_WITH_INSTANCE = 10;

export const INSTANCE_TOOLS: readonly Tool[] = [
  listTool({
    name: 'list_instances',
    title: 'List instances',
    description:
      'Lists the instances (linked phone numbers) of the workspace with their status. Only a connected instance sends and receives.',
    offeredTo: 'instances:read',
    input: {},
    rows: RESOURCES.instance,
    untrusted: OF_INSTANCE,
    list: (api) => api.instances.list(),
  }),
  defineTool({
    name: 'get_instance',
    title: 'Why is an instance down?',
    description:
      'Returns an instance and the latest entries of its history: what happened, why, and what comes next, newest first. This says why a number is down.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)') },
    logged: ['instance'],
    output: { instance: RESOURCES.instance.schema, history: z.array(RESOURCES.historyEntry.schema) },
    untrusted: OF_INSTANCE.map((field) => `instance.${field}`),
    longestText: LONGEST_IN_PAGE,
    async handle({ instance: id }, { api }) {
      const instance = await api.instances.get(id);
      const { data } = await api.instances.history(id, { limit: HISTORY_WITH_INSTANCE });
      return done({ instance, history: [...data] });
    },
  }),
  listTool({
    name: 'list_instance_history',
    title: 'History of an instance',
    description: 'Lists what happened to an instance, with the reason and what came next, newest first.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)'), limit, cursor },
    logged: ['instance'],
    rows: RESOURCES.historyEntry,
    list: (api, { instance, ...page }) => api.instances.history(instance, page),
  }),
  defineTool({
    name: 'list_groups',
    title: 'List groups',
    description: 'Lists the groups that an instance is in, by name.',
    offeredTo: 'instances:read',
    input: { instance: idOf('the instance (ins_…)') },
    logged: ['instance'],
    output: {
      data: z.array(RESOURCES.group.schema),
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
