import { Link } from '@tanstack/react-router';
import type { MessageCounts } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { rowLink, Table } from '../../components/table.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { failuresOf } from './traffic.ts';
import type { Slot } from './traffic.ts';

interface TrafficTableProps {
  readonly workspace: string;
  readonly slots: readonly Slot<MessageCounts>[];
  timeOf(slot: Slot<MessageCounts>): string;
}

/** The bars of the chart as numbers, without those of periods in which nothing happened. */
export function TrafficTable({ workspace, slots, timeOf }: TrafficTableProps): ReactNode {
  const t = useTexts('now');
  const { locale } = useLanguage();
  const number = new Intl.NumberFormat(locale);
  const column = (key: string, title: string, of: (counts: MessageCounts) => number) => ({
    key,
    title,
    isNumeric: true,
    cell: ({ counts }: Slot<MessageCounts>) => counts && number.format(of(counts)),
  });
  return (
    <Table
      caption={t.hoursCaption}
      rows={slots.filter(({ counts }) => counts !== null)}
      keyOf={({ from }) => String(from)}
      columns={[
        {
          key: 'time',
          title: t.time,
          cell: (slot) => (
            <Link
              to="/w/$workspace/messages"
              params={{ workspace }}
              search={{ before: new Date(slot.to).toISOString() }}
              className={rowLink}
            >
              {timeOf(slot)}
            </Link>
          ),
        },
        column('received', t.received, ({ received }) => received),
        column('sent', t.sent, ({ sent }) => sent),
        column('delivered', t.delivered, ({ delivered }) => delivered),
        column('failed', t.failed, failuresOf),
      ]}
    />
  );
}
