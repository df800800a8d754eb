import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './table.module.css';

interface Column<Row> {
  readonly key: string;
  readonly title: string;
  cell(row: Row): ReactNode;
  /** Whether the column has numbers, such as counts, durations or phone numbers. */
  readonly isNumeric?: boolean;
  /** Whether the column has the row's actions. Its title is only for screen readers. */
  readonly isAction?: boolean;
}

interface TableProps<Row> {
  /** The table's caption, which is only for screen readers. */
  readonly caption: string;
  /**
   * The first column has the row's link, `<Link className={rowLink}>`. A press anywhere in the row follows the link.
   */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Whether the rows are outdated, and new ones are being loaded. */
  readonly isStale?: boolean;
}

/** A table. On a narrow screen, each row is a block in which each cell has its column's title. */
export function Table<Row>({ caption, columns, rows, keyOf, isStale = false }: TableProps<Row>): ReactNode {
  return (
    <table className={classes(styles['table'], isStale && styles['stale'])}>
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumeric, isAction }) => (
            <th key={key} scope="col" className={classes(isNumeric && styles['numeric'])}>
              {isAction ? <span className="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => {
              const content = (
                <>
                  {/* For narrow screens, which hide the table's head. */}
                  {index > 0 && !column.isAction && (
                    <span className={styles['label']} aria-hidden="true">
                      {column.title}
                    </span>
                  )}
                  {column.cell(row)}
                </>
              );
              return index === 0 ? (
                <th key={column.key} scope="row">
                  {content}
                </th>
              ) : (
                <td
                  key={column.key}
                  className={classes(
                    (column.isNumeric || column.isAction) && styles['numeric'],
                    column.isAction && styles['action'],
                  )}
                >
                  {content}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The class of a row's link, which covers the whole row. */
export const rowLink: string = styles['rowLink'] ?? '';
