import { escapeText, fitText, padText, textWidth } from './text.ts'

export interface Column {
  readonly title: string
  /** Numbers are aligned to the right. */
  readonly align?: 'left' | 'right'
  /** The column that is shortened when lines are too long for the terminal, and at which end. */
  readonly shrink?: 'start' | 'end'
}

const GAP = '  '
const SHRINK_WIDTH_MIN = 8

/**
 * Lines of a table, title line first, every cell escaped. No line is longer than `width` columns while the shrinking
 * columns can be shortened.
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const cells = rows.map((row) => columns.map((_, index) => escapeText(row[index] ?? '')))
  const widths = columns.map((column, index) =>
    cells.reduce((most, row) => Math.max(most, textWidth(row[index]!)), textWidth(column.title)),
  )
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1)) - width
  for (let index = columns.length - 1; index >= 0 && excess > 0; index--) {
    if (columns[index]!.shrink === undefined) continue
    const given = Math.max(
      0,
      Math.min(excess, widths[index]! - Math.max(SHRINK_WIDTH_MIN, textWidth(columns[index]!.title))),
    )
    widths[index]! -= given
    excess -= given
  }
  const line = (row: readonly string[]) =>
    columns
      .map((column, index) => cellText(fitText(row[index]!, widths[index]!, column.shrink), widths[index]!, column))
      .join(GAP)
      .trimEnd()
  return [line(columns.map((column) => column.title)), ...cells.map(line)]
}

function cellText(text: string, width: number, column: Column): string {
  return column.align === 'right' ? ' '.repeat(Math.max(0, width - textWidth(text))) + text : padText(text, width)
}

/** Lines of `name: value`, with aligned values. */
export function fieldLines(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const width = fields.reduce((most, [name]) => Math.max(most, textWidth(name)), 0) + 1
  return fields.map(([name, value]) => `${padText(`${name}:`, width)} ${escapeText(value)}`.trimEnd())
}
