/** What the tests of a switch print, and docs/switching.md holds. */
import { NO_FIGURES, type Figures } from './switching-scene.ts'

const ROWS = [
  'take over',
  'give back',
  'live peer, sends and receives',
  'conflicts',
  'deletes while away',
  'receive-only edits',
  'encrypted',
  'versions',
] as const
export type Row = (typeof ROWS)[number]

interface Cell {
  readonly figures: Figures
  readonly detail: string
}

/** Each cell: resurrections, needless conflicts, bytes re-transferred, files whose time changed. */
export class Matrix {
  readonly #columns = new Map<string, Map<Row, Cell> | string>()

  /** Adds to what was found before; the last detail counts. */
  note(version: string, row: Row, figures: Figures, detail = ''): void {
    const known = this.#columns.get(version)
    const cells = typeof known === 'object' ? known : new Map<Row, Cell>()
    this.#columns.set(version, cells)
    cells.set(row, { figures: sumOf(cells.get(row)?.figures ?? NO_FIGURES, figures), detail })
  }

  notRun(version: string, reason: string): void {
    this.#columns.set(version, reason)
  }

  /** A table of Markdown. */
  lines(): readonly string[] {
    const versions = [...this.#columns.keys()]
    const lines = ROWS.map((row) => [row, ...versions.map((version) => this.#text(version, row))])
    const reasons = versions.flatMap((version) => {
      const column = this.#columns.get(version)
      return typeof column === 'string' ? [`${version}: not run, because ${column}`] : []
    })
    return [['', ...versions], ['---', ...versions.map(() => '---')], ...lines]
      .map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |'))
      .concat(reasons)
  }

  #text(version: string, row: Row): string {
    const column = this.#columns.get(version)
    const cell = typeof column === 'object' ? column.get(row) : undefined
    if (cell === undefined) return 'not run'
    const figures = Object.values(cell.figures).join(', ')
    return cell.detail === '' ? figures : `${figures} (${cell.detail})`
  }
}

function sumOf(a: Figures, b: Figures): Figures {
  return {
    resurrections: a.resurrections + b.resurrections,
    conflicts: a.conflicts + b.conflicts,
    resentBytes: a.resentBytes + b.resentBytes,
    changedTimes: a.changedTimes + b.changedTimes,
  }
}
