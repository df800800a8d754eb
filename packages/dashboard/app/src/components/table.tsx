import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './table.module.css';

interface Column<Row> {
  readonly key: string;
  readonly title: string;
  cell(row: Row): ReactNode;
  readonly isNumeric?: boolean;
  /** Whether the column has the row's actions. Only screen readers get its title. */
  readonly isAction?: boolean;
}

interface TableProps<Row> {
  /** For screen readers only. */
  readonly caption: string;
  /** The first column has the row's link, `<Link className={rowLink}>`, which covers the whole row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Whether new rows are being loaded. */
  readonly isStale?: boolean;
}

/** On a narrow screen, each row is a block, and each cell shows its column's title. */
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

export const rowLink: string = styles['rowLink'] ?? '';
