import fc from 'fast-check';
import { must } from '@trunkline/test-support';
import { aMember, anApiKey } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';

const workspace = fc.nat({ max: 1 });
const plan = fc.record({
  subscription: fc.constantFrom('active' as const, 'trial' as const, 'none' as const),
  instanceLimit: fc.option(fc.nat({ max: 3 })),
  trialMessageLimit: fc.option(fc.nat({ max: 5 })),
  webhookLimit: fc.nat({ max: 3 }),
});

export const workspaceSteps: readonly Step[] = [
  step(
    'update a workspace',
    fc.record({ workspace, plan, suspended: fc.boolean() }),
    async (scenario, choice) => {
      const { id } = scenario.workspace(choice.workspace);
      const suspendedAt = choice.suspended ? scenario.now : null;
      return ({ storage }) => storage.workspaces.update(id, { plan: choice.plan, suspendedAt });
    },
  ),

  step('add a member with a key', fc.record({ workspace, named: fc.boolean() }), async (scenario, choice) => {
    const owner = scenario.workspace(choice.workspace);
    const member = aMember(owner, { id: scenario.newId('mem', scenario.now), createdAt: scenario.now });
    const id = scenario.newId('key', scenario.now);
    const memberId = choice.named ? member.id : null;
    const apiKey = anApiKey(owner, { id, memberId, hash: id, createdAt: scenario.now });
    return async ({ storage }) => {
      await storage.workspaces.insertMember(member);
      await storage.apiKeys.insert(apiKey);
      return storage.apiKeys.findByHash(apiKey.hash);
    };
  }),

  step('delete a member', fc.record({ workspace, member: fc.nat({ max: 3 }) }), async (scenario, choice) => {
    const { id } = scenario.workspace(choice.workspace);
    const members = await scenario.model.storage.workspaces.listMembers(id);
    const member = scenario.pick(members, choice.member);
    return member && (({ storage }) => storage.workspaces.deleteMember(id, member.id, scenario.now));
  }),

  step(
    'touch and revoke a key',
    fc.record({ workspace, key: fc.nat({ max: 3 }), ago: fc.nat({ max: 50 }), revoke: fc.boolean() }),
    async (scenario, choice) => {
      const { id } = scenario.workspace(choice.workspace);
      const apiKey = scenario.pick(await scenario.model.storage.apiKeys.list(id), choice.key);
      if (!apiKey) return null;
      return async ({ storage }) => {
        await storage.apiKeys.touch(apiKey.id, scenario.now - choice.ago);
        return choice.revoke
          ? storage.apiKeys.revoke(id, apiKey.id, scenario.now)
          : storage.apiKeys.findByHash(apiKey.hash);
      };
    },
  ),

  step(
    'set a value',
    fc.record({ name: fc.nat({ max: 2 }), value: fc.nat({ max: 5 }) }),
    async (_, choice) => {
      return ({ storage }) => storage.setting(`setting ${choice.name}`, `${choice.value}`);
    },
  ),

  step(
    'spend a token',
    fc.record({ id: fc.nat({ max: 2 }), until: fc.integer({ min: -5, max: 5 }), old: fc.boolean() }),
    async (scenario, choice) => {
      const until = scenario.now + choice.until;
      return async ({ storage: { spentTokens } }) => [
        await spentTokens.spend(`token ${choice.id}`, until),
        choice.old && (await spentTokens.deleteExpired(scenario.now, 5)),
        await spentTokens.isSpent(`token ${choice.id}`),
      ];
    },
  ),

  step(
    'list workspaces',
    fc.record({ after: fc.boolean(), limit: fc.integer({ min: 1, max: 3 }) }),
    async (scenario, choice) => {
      const after = choice.after ? must(scenario.workspaces[0]).id : null;
      return ({ storage }) => storage.workspaces.list({ after, limit: choice.limit });
    },
  ),
];
